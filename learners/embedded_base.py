"""Makes the embedded base: a tiny Qwen3 that reads menus and prefers nothing.

Run as `python -m hocket.learners.embedded_base OUT`. Training goes from bare menus with many
replies to whole prompts with one. The two layers start out as what binding takes, heads that look
a few tokens back and heads that look for what stands after the same tokens; from a start that was
random but for large biases, no binding had appeared after 400 steps.

Axis: B texts.

Source: of such a pair of heads, Olsson et al., "In-context learning and induction heads", 2022.
"""

import argparse
import json
from math import exp, pi
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import structlog
import torch
from safetensors.torch import save_file
from torch.nn.functional import linear, log_softmax
from transformers import Qwen3Config, Qwen3ForCausalLM

from hocket.games.overcooked.layout import layout_names
from hocket.learners.embedded_prompts import (
    HELD_OUT,
    LIBRARIES,
    MOST_ENTRIES,
    Text,
    Writer,
    cut,
    easy_menu,
    made_menu,
    play_offers,
    scorer_drawn,
    sketch,
)
from hocket.learners.embedded_tokenizer import make_tokenizer
from hocket.runtime.menu import Menu
from hocket.runtime.policy import Offer

STYLE = {"profile": "brief", "scorer": "two_line", "temperature": 1.0}
MAIN = ("asymmetric_advantages", "cramped_room", "forced_coordination")
"""Layouts with committed guards, which every third prompt is from."""
WIDTH, THETA = 32, 10000.0
"""Of a head, and of its rotations."""
PROMPT_WEIGHT = 0.1
"""Of the loss on the prompt, beside that on replies."""

_log = structlog.get_logger(__name__)


class Recipe(msgspec.Struct, frozen=True):
    """How a base is made."""

    seed: int = 0
    steps: int = 1600
    """Of the optimiser; the first part on bare menus, the last on whole prompts."""
    rate: float = 1.5e-3
    hidden: int = 128
    inner: int = 384
    heads: int = 4
    episodes: int = 2
    """Played for each layout, library and number of seats."""
    easy: float = 0.06
    drill: float = 0.2
    short: float = 0.35
    """Shares of the steps after which bare menus are no longer easy, small, and bare."""
    layouts: tuple[str, ...] | None = None
    """That prompts are played on; None for all but those held out."""


def trained_layouts() -> tuple[str, ...]:
    """Return the layouts that prompts are played on."""
    return tuple(name for name in layout_names() if name not in HELD_OUT)


def make_base(out: Path, recipe: Recipe) -> None:
    """Train a base and write its folder: a plain Hugging Face one, weights in bfloat16."""
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    tokenizer = make_tokenizer()
    model = make_model(recipe, len(tokenizer), tokenizer.pad_token_id, tokenizer.eos_token_id)
    train(model, recipe, Lessons(recipe, Writer(tokenizer)))
    save(model, tokenizer, out)


def make_model(recipe: Recipe, vocabulary: int, pad: int, end: int) -> Any:
    """Return an untrained Qwen3ForCausalLM, with heads that look back and heads that look for the like."""
    config = Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=recipe.hidden,
        intermediate_size=recipe.inner,
        num_hidden_layers=2,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        head_dim=WIDTH,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        attention_bias=True,
        initializer_range=0.05,
        pad_token_id=pad,
        eos_token_id=end,
        bos_token_id=None,
    )
    model: Any = Qwen3ForCausalLM(config)
    with torch.no_grad():
        model.model.embed_tokens.weight.normal_(0.0, 0.2)
        first, second = (layer.self_attn for layer in model.model.layers)
        _look_back(first, recipe.heads)
        _look_alike(first, second, recipe.heads)
    return model


def _look_back(attention: Any, heads: int) -> None:
    """Let head number d of a layer, from 1, look d tokens back: its query is its key, turned back d places."""
    half = WIDTH // 2
    speeds = torch.tensor([THETA ** (-each / half) for each in range(half)])
    sizes = torch.tensor([2 * exp(-each / 8) for each in range(half)])
    for head in range(heads):
        phases = 2 * pi * torch.rand(half)
        for part, angles in ((attention.k_proj, phases), (attention.q_proj, phases - (head + 1) * speeds)):
            part.bias[head * WIDTH : (head + 1) * WIDTH] = torch.cat((sizes * angles.cos(), sizes * angles.sin()))
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight.fill_(2.2)


def _look_alike(first: Any, second: Any, heads: int) -> None:
    """Let half of a layer's heads look for the token that follows what stands two back, and copy it.

    Head number d of the layer below writes what it sees into a subspace of its own. What a query
    finds two and three tokens back, a key has one and two back. Dimensions that turn slowly
    compare best over a distance.
    """
    hidden = first.o_proj.weight.shape[0]
    seen = torch.linalg.qr(torch.randn(hidden, WIDTH))[0].T
    places = torch.linalg.qr(torch.randn(hidden, hidden))[0].reshape(hidden, heads, WIDTH).unbind(1)
    slow = torch.tensor([0.1 + 0.9 * (each % (WIDTH // 2) >= WIDTH // 4) for each in range(WIDTH)])[:, None]
    for head, place in enumerate(places):
        own = slice(head * WIDTH, (head + 1) * WIDTH)
        first.v_proj.weight[own] = seen
        first.o_proj.weight[:, own] = 0.4 * place
        if head < heads // 2:
            near, far = (slow * torch.linalg.qr(torch.randn(WIDTH, WIDTH))[0] for _ in range(2))
            second.q_proj.weight[own] = near @ places[1].T + far @ places[2].T
            second.k_proj.weight[own] = near @ places[0].T + far @ places[1].T
            second.v_proj.weight[own] = seen
            second.o_proj.weight[:, own] = 0.4 * seen.T
        else:
            second.q_proj.bias[own].normal_(0.0, 1.0)
            second.k_proj.bias[own].normal_(0.0, 1.0)
    for norm in (second.q_norm, second.k_norm):
        norm.weight.fill_(1.5)


class Lessons:
    """Draws the texts of each step."""

    def __init__(self, recipe: Recipe, writer: Writer) -> None:
        self._recipe, self._writer, self._dice = recipe, writer, Random(recipe.seed)
        layouts = trained_layouts() if recipe.layouts is None else recipe.layouts
        self._main = [offer for name in MAIN if name in layouts for offer in self._play(name, 3 * recipe.episodes)]
        self._others = [offer for name in layouts for offer in self._play(name, recipe.episodes)]
        self._pantries = [
            offer
            for seats in range(2, 8)
            for _ in range(2 * recipe.episodes)
            for offer in play_offers("pantry", "default", self._dice, seats=None if seats == 2 else seats, share=1)
        ]
        self._roles = [
            offer
            for _ in range(10 * recipe.episodes)
            for offer in play_offers("pantry:roles", "default", self._dice, share=1)
        ]

    def _play(self, name: str, episodes: int) -> list[Offer]:
        return [
            offer
            for library in LIBRARIES
            for _ in range(episodes)
            for offer in play_offers(f"overcooked:{name}", library, self._dice)
        ]

    def texts(self, step: int) -> list[Text]:
        """Return the texts of one step, shape [B]."""
        recipe, dice, writer = self._recipe, self._dice, self._writer
        done = step / recipe.steps
        if done < recipe.easy:
            return [writer.drill(Menu.of(easy_menu(dice, dice.randint(2, 4))), dice, 10) for _ in range(48)]
        if done < recipe.drill:
            return [writer.drill(Menu.of(made_menu(dice, dice.randint(2, 8))), dice, 10) for _ in range(40)]
        if done < recipe.short:
            return [writer.drill(Menu.of(made_menu(dice, dice.randint(2, MOST_ENTRIES))), dice, 6) for _ in range(32)]
        return [writer.full(self._offer(), scorer_drawn(dice), dice, 1 if done > 0.85 else 3) for _ in range(24)]

    def _offer(self) -> Offer:
        dice = self._dice
        pools = (self._main, self._others, self._pantries, self._roles, None)
        [pool] = dice.choices(pools, (0.35, 0.25, 0.12, 0.03, 0.25))
        return sketch(dice) if pool is None else cut(dice.choice(pool), dice)


def train(model: Any, recipe: Recipe, lessons: Lessons) -> None:
    """Take every step of the recipe."""
    weights = [each for each in model.parameters() if each.dim() > 1]
    others = [each for each in model.parameters() if each.dim() < 2]
    groups = [{"params": weights, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98))
    for step in range(recipe.steps):
        rate = recipe.rate * min(1.0, (step + 1) / 60) * max(0.03, 1 - step / recipe.steps)
        for group in optimiser.param_groups:
            group["lr"] = rate
        parts = losses(model, lessons.texts(step))
        loss = parts["letter"] + parts["reply"] + PROMPT_WEIGHT * parts["prompt"]
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if step % 50 == 0 or step == recipe.steps - 1:
            _log.info("step", step=step, **{name: round(part.item(), 4) for name, part in parts.items()})


def losses(model: Any, texts: list[Text]) -> dict[str, torch.Tensor]:
    """Return losses in nats: of letters that an intent decides, of all else in replies, and of prompts.

    Those of replies are divergences from what could follow, so that no draw of an intent is learned.
    """
    length = max(len(text.ids) for text in texts)
    ids = torch.tensor([text.ids + [0] * (length - len(text.ids)) for text in texts])
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
    table = model.lm_head.weight
    found = [
        (row, place, token, chance, place in text.letters)
        for row, text in enumerate(texts)
        for place, token, chance in text.targets
    ]
    rows, places, tokens = (torch.tensor([each[part] for each in found]) for part in range(3))
    chances, bound = torch.tensor([each[3] for each in found]), torch.tensor([each[4] for each in found])
    # A place is worked out once for each token that may follow: a few times too often, and simple.
    logits = linear(hidden[rows, places], table)
    costs = chances * (chances.log() - log_softmax(logits, -1).gather(-1, tokens[:, None])[:, 0])
    prompts = [(row, place) for row, text in enumerate(texts[::4]) for place in range(text.prompt - 1)]
    at = torch.tensor([4 * row for row, _ in prompts]), torch.tensor([place for _, place in prompts])
    said = ids[at[0], at[1] + 1]
    prompt = -log_softmax(linear(hidden[at], table), -1).gather(-1, said[:, None]).mean()
    letters, rest = chances[bound].sum().clamp(min=1), chances[~bound].sum().clamp(min=1)
    return {"letter": costs[bound].sum() / letters, "reply": costs[~bound].sum() / rest, "prompt": prompt}


def save(model: Any, tokenizer: Any, out: Path) -> None:
    """Write the folder; the configuration asks for float32, in which the weights are to be used."""
    out.mkdir(parents=True, exist_ok=True)
    kept = {name: part.to(torch.bfloat16).contiguous() for name, part in model.state_dict().items()}
    kept.pop("lm_head.weight")
    save_file(kept, out / "model.safetensors", metadata={"format": "pt"})
    (out / "model.safetensors").chmod(0o644)
    config = model.config.to_dict() | {"architectures": ["Qwen3ForCausalLM"], "dtype": "float32"}
    _write_json(out / "config.json", config)
    tokenizer.save_pretrained(out, save_jinja_files=False)
    settings = json.loads((out / "tokenizer_config.json").read_text("utf-8"))
    _write_json(out / "tokenizer_config.json", settings | {"tokenizer_class": "PreTrainedTokenizerFast"})
    _write_json(out / "style.json", STYLE)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def main() -> None:
    """Read the command line and make a base."""
    parser = argparse.ArgumentParser(prog="python -m hocket.learners.embedded_base", description=__doc__)
    parser.add_argument("out", type=Path, help="folder to write")
    for name in ("seed", "steps"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Recipe(), name))
    asked = vars(parser.parse_args())
    make_base(asked.pop("out"), Recipe(**asked))


if __name__ == "__main__":
    main()
