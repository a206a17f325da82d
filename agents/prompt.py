"""An offer as chat messages: the rules, then the moment and the menu.

The system message is the same for every decision of a game, so that a model server
can keep it as a cached prefix. The user message says where the seat stands, what it
remembers and what it may start. Two profiles tell the same moment: `full` in sentences,
`brief` in a few fixed words, with rules that only name the game.

Source: the worked example in section 5.1 of the PA-MAGRPO paper, in words of our own.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from hocket.agents.grammar import entry_text, instruction
from hocket.agents.style import Style
from hocket.runtime.events import Cell
from hocket.runtime.option import Instance
from hocket.runtime.policy import Offer
from hocket.runtime.words import Words


class Prompt(msgspec.Struct, frozen=True):
    """Two chat messages."""

    system: str
    """Constant within a game."""
    user: str


def make_prompt(offer: Offer, style: Style) -> Prompt:
    """Put an offer into words."""
    return Prompt(
        system_message(offer.words, style), _brief(offer, style) if style.profile == "brief" else _full(offer, style)
    )


def system_message(words: Words[Any], style: Style) -> str:
    """Return the part that is the same for every decision of a game."""
    if style.profile == "brief":
        return "\n".join((words.brief_rules, *instruction(style, words.stages)))
    return "\n".join((*words.rules, "", *instruction(style, words.stages)))


def _full(offer: Offer, style: Style) -> str:
    told, recent = offer.situation(brief=False), offer.recent
    partners = [f"Partner: {line}." for line in told.partners]
    return "\n".join(
        (
            *told.own,
            *partners,
            *told.world,
            f"Tick {offer.tick} of {offer.steps}.",
            "",
            "Memory:",
            f"- your last options, the latest last: {', '.join(recent.options) or 'none'}",
            f"- points of the team in the last 100 ticks: {recent.reward:g}",
            *(f"- partner: {line}" for line in told.partners),
            "",
            *_choices(offer, style),
        )
    )


def _choices(offer: Offer, style: Style) -> tuple[str, ...]:
    if style.scorer == "json":
        return ("Actions:", *actions(offer), "", "Reply with one JSON object.")
    lines = (
        f"{letter}) {entry_text(entry, style)}"
        for letter, entry in zip(offer.menu.letters, offer.menu.entries, strict=True)
    )
    return ("Menu:", *lines, "", "Choose one.")


def listed(prompt: str, keys: Sequence[str], style: Style) -> tuple[Instance, ...]:
    """Read the menu off a prompt that was made here: the entries of `keys`, in menu order, with their words.

    Args:
        prompt: as text, with whatever the chat template puts around it.
        keys: of the entries.
        style: in which it was made.
    """
    named = [(key, *key.partition("@")[::2]) for key in keys]
    if style.profile == "brief" or style.scorer == "json":
        words = [key for key, _, _ in named]
    else:
        lines = prompt.rpartition("\nMenu:\n")[2].split("\n")
        words = [line.partition(") ")[2] for line in lines[: len(named)]]
    return tuple(Instance(option, _cell(at), text, key) for (key, option, at), text in zip(named, words, strict=True))


def _cell(text: str) -> Cell | None:
    x, comma, y = text.partition(",")
    return (int(x), int(y)) if comma else None


def actions(offer: Offer) -> tuple[str, ...]:
    """List the kinds of options, each with whether it takes a target: what is possible now is not told."""
    aimed = {entry.option: entry.target is not None for entry in offer.menu.entries}
    return tuple(f"- {name} with a target [x, y]" if aimed[name] else f"- {name}" for name in sorted(aimed))


def _brief(offer: Offer, style: Style) -> str:
    told, recent = offer.situation(brief=True), offer.recent
    if style.scorer == "json":
        menu = "actions " + " ".join(sorted({entry.option for entry in offer.menu.entries}))
    else:
        pairs = zip(offer.menu.entries, offer.menu.letters, strict=True)
        menu = "menu " + " ".join(f"{entry_text(entry, style)} {letter}" for entry, letter in pairs)
    return "\n".join(
        (
            *told.own,
            *told.partners,
            *told.world,
            f"step {offer.tick} {offer.steps}",
            f"did {' '.join(recent.options) or 'nothing'}",
            f"gain {recent.reward:g}",
            menu,
        )
    )
