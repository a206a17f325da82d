"""Without transformers, the same tokens."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from hocket.agents.frozen_base import FrozenBase
from hocket.agents.grammar import replies
from hocket.agents.prompt import Prompt, make_prompt
from hocket.agents.style import Style
from hocket.agents.tokens import load_tokens
from hocket.games import registry
from hocket.runtime.errors import ModelError
from hocket.runtime.policy import Offer

TEMPLATE = """{%- set now = strftime_now('%Y') %}
{{ bos_token }}{%- for message in messages %}
    {% if loop.index > 9 %}{% break %}{% endif %}
    {{- message | tojson }}{{ message['content'] | trim }}{{ eos_token }}
{%- endfor %}
{% if tools is none and add_generation_prompt %}<|im_start|>é{{ now | length }}{% endif %}"""


@pytest.fixture
def toy(embedded: FrozenBase, tmp_path: Path) -> FrozenBase:
    """The embedded base in a folder that may be changed."""
    shutil.copytree(embedded.folder, tmp_path / "toy")
    return msgspec.structs.replace(embedded, folder=tmp_path / "toy")


def change(base: FrozenBase, **settings: object) -> None:
    """Change some settings of the tokenizer."""
    path = base.folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | settings), "utf-8")


def test_prompts_and_replies_of_every_game_are_those_of_transformers(
    embedded: FrozenBase, offered: Callable[..., list[Offer]]
) -> None:
    """In both profiles, also where words are spelled in bytes; and they come back as the same text."""
    usual, plain = load_tokens(embedded), load_tokens(embedded, plain=True)
    names = [f"{kind}:{each}" if each else kind for kind, its in registry.kinds().items() for each in its.variants()]
    styles = [Style(profile, "two_line") for profile in ("full", "brief")]
    compared = 0

    for name in names:
        for offer in offered(name, steps=12)[:4]:
            for style in styles:
                prompt = plain.prompt(make_prompt(offer, style))
                assert prompt == usual.prompt(make_prompt(offer, style))
                assert plain.text(prompt) == usual.text(prompt)
                for reply in replies(offer.menu, offer.words.stages, style):
                    assert plain.ended(reply) == usual.ended(reply)
                    compared += 1
    assert compared > 500
    assert (plain.end, plain.letters(26, styles[0])) == (usual.end, usual.letters(26, styles[0]))


def test_any_text_and_any_tokens_are_those_of_transformers(embedded: FrozenBase) -> None:
    """What no game says as well: signs, special tokens within the text, halves of letters."""
    usual, plain = load_tokens(embedded), load_tokens(embedded, plain=True)
    dice, size = Random(3), len(usual.tokenizer)
    texts = ["", " ", "\n\n", "é 🙂 日本", "a<|im_end|>b <|im_start|>", "@16,3 1e+09\t", "  two  spaces ."]

    for text in texts:
        assert plain.reply(text) == usual.reply(text)
    for _ in range(200):
        ids = tuple(dice.randrange(size) for _ in range(12))
        assert plain.text(ids) == usual.text(ids)
    assert len(plain.tokenizer) == size


@pytest.mark.parametrize("where", ["settings", "file", "list"])
def test_a_template_is_found_and_rendered_as_by_transformers(toy: FrozenBase, where: str) -> None:
    """Wherever it stands, with what templates are given there: JSON, the date, breaks, named tokens."""
    kept = {"settings": TEMPLATE, "file": "", "list": [{"name": "default", "template": TEMPLATE}]}[where]
    change(toy, chat_template=kept, bos_token={"__type": "AddedToken", "content": "<|pad|>"})
    if where == "file":
        (toy.folder / "chat_template.jinja").write_text(TEMPLATE, "utf-8")
    prompt = Prompt("menu <é> 'a'", " wait\n")

    usual, plain = load_tokens(toy).prompt(prompt), load_tokens(toy, plain=True).prompt(prompt)

    assert plain == usual
    assert load_tokens(toy, plain=True).text(plain).startswith('<|pad|>{"role": "system", "content": "menu <é>')


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"tokenizer_class": "Qwen2Tokenizer"}, "a Qwen2Tokenizer needs transformers"),
        ({"tokenizer_class": None}, "a None needs transformers"),
        ({"bos_token": "<s>"}, "tokenizer.json has no special token '<s>'"),
        ({"extra_special_tokens": ["<|tool|>"]}, "tokenizer.json has no special token '<|tool|>'"),
        ({"eos_token": 7}, "7 is no token"),
    ],
)
def test_what_transformers_would_make_otherwise_is_refused(
    toy: FrozenBase, settings: dict[str, object], problem: str
) -> None:
    """Tokens that were almost the same would be worse than none."""
    change(toy, **settings)

    with pytest.raises(ModelError) as caught:
        load_tokens(toy, plain=True)

    assert str(caught.value) == f"model {toy.folder}: its tokenizer cannot be loaded: {problem}"
