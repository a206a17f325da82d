"""What the embedded base can do, in numbers: does it bind, and does it prefer nothing.

Run as `python -m hocket.learners.embedded.figures FOLDER`. Prompts are of fresh random play;
layouts that the base was not trained on are among them.

Axes: N entries of one menu, L tokens.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from hocket.agents.grammar import letter_line, text_line
from hocket.agents.style import Style
from hocket.learners.embedded.prompts import HELD_OUT, LIBRARIES, Writer, play_offers, sketch
from hocket.runtime.policy import Offer

STYLE = Style("brief", "two_line")
LONGEST = 16
"""Tokens of a reply that is written out."""


class Figures(msgspec.Struct, frozen=True):
    """Means over prompts, each with menus of at least two entries."""

    prompts: int
    entries: float
    """Of a menu."""
    bound: float
    """Share of entries whose letter is the likeliest of the menu's after the line that names the entry."""
    chance: float
    """Probability of that letter among the menu's."""
    least: float
    """The lowest such probability of all."""
    lean: float
    """Probability of the likeliest entry, times the number of entries: 1 where none is preferred."""
    written: float
    """Share of greedy replies that are well-formed: an intent of the menu, and its letter."""
    shares: dict[str, tuple[float, float]]
    """By name of option: its share of what is intended, and of the entries."""


class Base:
    """A base and its words."""

    def __init__(self, folder: Path) -> None:
        """Load a folder; weights are used in float32.

        Raises:
            OSError: there is no model in it.
            ModelError: its tokenizer makes no chats.
        """
        tokenizer = cast(Any, AutoTokenizer).from_pretrained(folder, local_files_only=True)
        load = cast(Any, AutoModelForCausalLM).from_pretrained
        self.model = load(folder, local_files_only=True, dtype=torch.float32).eval()
        self.writer = Writer(tokenizer)
        self._tokenizer = tokenizer

    @torch.no_grad()
    def logits(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return logits, shape [rows, L, V]; rows are padded on the right."""
        length = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (length - len(row))] for row in rows])
        return cast(torch.Tensor, self.model(input_ids=ids, use_cache=False).logits)

    def read(self, offer: Offer) -> tuple[list[float], list[list[float]]]:
        """Return the probability of each entry as the intent, and after each that of each letter, [N] and [N, N]."""
        encode, menu = self.writer.encode, offer.menu
        prompt = self.writer.prompt(offer, "two_line")
        lines = [encode(text_line(entry, STYLE, "intent") + "\n") for entry in menu.entries]
        letters = [encode(letter_line(letter, STYLE)) for letter in menu.letters]
        logits = self.logits([[*prompt, *line, *letters[0][:-1]] for line in lines])
        last = [letter[-1] for letter in letters]
        intents, bound = [], []
        for line, row in zip(lines, logits, strict=True):
            chance = 1.0
            for depth, token in enumerate(line):
                alike = sorted({other[depth] for other in lines if other[:depth] == line[:depth]})
                spread = row[len(prompt) + depth - 1, alike].softmax(-1)
                chance *= float(spread[alike.index(token)])
            intents.append(chance)
            bound.append(row[len(prompt) + len(line) + len(letters[0]) - 2, last].softmax(-1).tolist())
        return intents, bound

    def write(self, offer: Offer) -> str:
        """Return the likeliest reply, token by token."""
        ids = self.writer.prompt(offer, "two_line")
        start = len(ids)
        while len(ids) < start + LONGEST and (len(ids) == start or ids[-1] != self._tokenizer.eos_token_id):
            ids.append(int(self.logits([ids])[0, -1].argmax()))
        return cast(str, self._tokenizer.decode(ids[start:]))


def figures(base: Base, offers: Sequence[Offer]) -> Figures:
    """Measure a base on offers."""
    offers = [offer for offer in offers if len(offer.menu) > 1]
    bound, chance, lean, written, least = 0.0, 0.0, 0.0, 0, 1.0
    intended: dict[str, float] = {}
    offered: dict[str, float] = {}
    for offer in offers:
        entries = offer.menu.entries
        intents, rows = base.read(offer)
        right = [row[place] for place, row in enumerate(rows)]
        bound += sum(row[place] == max(row) for place, row in enumerate(rows)) / len(rows)
        chance += sum(right) / len(right)
        least = min(least, *right)
        lean += max(intents) * len(intents)
        for entry, share in zip(entries, intents, strict=True):
            intended[entry.option] = intended.get(entry.option, 0.0) + share
            offered[entry.option] = offered.get(entry.option, 0.0) + 1 / len(entries)
        pairs = zip(entries, offer.menu.letters, strict=True)
        replies = [f"{text_line(e, STYLE, 'intent')}\n{letter_line(letter, STYLE)}<|im_end|>" for e, letter in pairs]
        written += base.write(offer) in replies
    count = len(offers)
    shares = {name: (round(intended[name] / count, 4), round(offered[name] / count, 4)) for name in sorted(offered)}
    entries_mean = sum(len(offer.menu) for offer in offers) / count
    return Figures(count, entries_mean, bound / count, chance / count, least, lean / count, written / count, shares)


def exams(seed: int, count: int) -> dict[str, list[Offer]]:
    """Play fresh prompts of several games, `count` of each."""
    dice = Random(seed)
    found = {name: _sample(f"overcooked:{name}", dice, count) for name in ("asymmetric_advantages", *HELD_OUT)}
    found["forced_coordination"] = _sample("overcooked:forced_coordination", dice, count)
    for name, seats in (("pantry", None), ("pantry", 7), ("pantry:roles", None)):
        found[f"{name} {seats or 2}"] = _some(
            [each for _ in range(count // 4) for each in play_offers(name, "default", dice, seats=seats, share=1)],
            dice,
            count,
        )
    return found | {"sketches": [sketch(dice) for _ in range(count)]}


def _sample(name: str, dice: Random, count: int) -> list[Offer]:
    offers = [each for library in LIBRARIES for each in play_offers(name, library, dice, share=1)]
    return _some([offer for offer in offers if len(offer.menu) > 1], dice, count)


def _some(offers: Sequence[Offer], dice: Random, count: int) -> list[Offer]:
    return dice.sample(offers, min(count, len(offers)))


def main() -> None:
    """Read the command line and print the figures, one line a game."""
    parser = argparse.ArgumentParser(prog="python -m hocket.learners.embedded.figures", description=__doc__)
    parser.add_argument("folder", type=Path, help="of a base")
    parser.add_argument("--seed", type=int, default=10**6, help="of the fresh prompts")
    parser.add_argument("--count", type=int, default=100, help="prompts of each game")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    base = Base(asked.folder)
    for game, offers in exams(asked.seed, asked.count).items():
        told = msgspec.json.encode(figures(base, offers)).decode()
        print(f"{game}: {told}")  # noqa: T201


if __name__ == "__main__":
    main()
