"""What a reply may look like, and how it is read.

Each scorer has a form of reply: one or two lines, or a JSON object. The lines are
put together here and nowhere else, so that what is scored and what is generated under a
grammar are the same text; a parser takes that, and other words for the state.
"""

import json
import re
from collections.abc import Sequence

import msgspec

from hocket.agents.style import Style
from hocket.runtime.menu import Menu
from hocket.runtime.option import Instance


class Reply(msgspec.Struct, frozen=True):
    """What a reply was read as."""

    index: int | None
    """Position on the menu; None where it is no choice from it."""
    reason: str = ""
    """`malformed` or `not on the menu`, where there is no index."""
    detail: str = ""


def entry_text(entry: Instance, style: Style) -> str:
    """Return an option as it stands on the menu of a prompt."""
    return entry.key if style.profile == "brief" else entry.words


def lead(name: str, style: Style) -> str:
    """Return how a line of a reply begins; what follows is set off by a space."""
    return name if style.profile == "brief" else f"{name}:"


def instruction(style: Style, stages: Sequence[str]) -> tuple[str, ...]:
    """Say what the reply must look like."""
    if style.profile == "brief":
        return (f"answer {_BRIEF[style.scorer]}",)
    menu = "The menu lists the options that can be started now"
    menu += "." if style.scorer == "text" else "; its letters change with every decision."
    if style.scorer == "json":
        return (
            "An action walks you to its target and is done there; one that is not possible there does nothing.",
            "Reply with one JSON object and nothing else, of one of these forms:",
            '{"action": "wait"}',
            '{"action": "<an action that takes a target>", "target": [<x>, <y>]}',
        )
    lines = {
        "letter": ("choice: <one letter of the menu>",),
        "text": ("choice: <an option of the menu, word for word>",),
        "two_line": ("intent: <an option of the menu, word for word>", "choice: <its letter>"),
    }.get(style.scorer, (f"state: <how far the work is: {' | '.join(stages)}>", "choice: <one letter of the menu>"))
    return (menu, f"Reply with exactly {_COUNT[len(lines)]} and nothing else:", *lines)


_BRIEF = {
    "letter": "letter",
    "text": "option",
    "two_line": "intent letter",
    "paper": "state letter",
    "generate": "state letter",
    "json": "json",
}
_COUNT = {1: "one line", 2: "two lines"}


def letter_line(letter: str, style: Style) -> str:
    """Return the line that names a letter."""
    return f"{lead('choice', style)} {letter}"


def text_line(entry: Instance, style: Style, name: str = "choice") -> str:
    """Return the line that names an option by its own words."""
    return f"{lead(name, style)} {entry_text(entry, style)}"


def state_line(stage: str, style: Style) -> str:
    """Return the line that says how far the work has come."""
    return f"{lead('state', style)} {stage}"


def replies(menu: Menu, stages: Sequence[str], style: Style) -> tuple[str, ...]:
    """List every well-formed reply: what a grammar lets through."""
    if style.scorer == "json":
        return tuple(sorted({_object(entry) for entry in menu.entries}))
    return tuple(
        f"{state_line(stage, style)}\n{letter_line(letter, style)}" for stage in stages for letter in menu.letters
    )


def regex(menu: Menu, stages: Sequence[str], style: Style) -> str:
    """Return the same as a regular expression, for a model server."""
    if style.scorer == "json":
        return "|".join(re.escape(text) for text in replies(menu, stages, style))
    head = re.escape(lead("state", style))
    return (
        f"{head} ({'|'.join(map(re.escape, stages))})\\n{re.escape(lead('choice', style))} ({'|'.join(menu.letters)})"
    )


def _object(entry: Instance) -> str:
    return json.dumps({"action": entry.option} | ({} if entry.target is None else {"target": list(entry.target)}))


def parse(text: str, menu: Menu, style: Style) -> Reply:
    """Read a reply that was written out."""
    return _parse_object(text, menu) if style.scorer == "json" else _parse_lines(text, menu, style)


def _parse_lines(text: str, menu: Menu, style: Style) -> Reply:
    lines = text.strip().splitlines()
    if len(lines) != 2:
        return Reply(None, "malformed", f"it is not two lines: {_shown(text)}")
    if not re.fullmatch(rf"{re.escape(lead('state', style))} ?\S+", lines[0].strip()):
        return Reply(None, "malformed", f"its first line names no state: {_shown(text)}")
    found = re.fullmatch(rf"{re.escape(lead('choice', style))} ?([A-Z]+)", lines[1].strip())
    if found is None:
        return Reply(None, "malformed", f"its second line names no letter: {_shown(text)}")
    if found[1] not in menu.letters:
        return Reply(None, "not on the menu", f"letter {found[1][:8]} of {len(menu)}")
    return Reply(menu.letters.index(found[1]))


class _Object(msgspec.Struct, forbid_unknown_fields=True):
    action: str
    target: tuple[int, int] | None = None


def _parse_object(text: str, menu: Menu) -> Reply:
    try:
        found = msgspec.json.decode(text.strip(), type=_Object)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        return Reply(None, "malformed", f"no JSON object with an action: {_cut(str(error))}: {_shown(text)}")
    for index, entry in enumerate(menu.entries):
        if (entry.option, entry.target) == (found.action, found.target):
            return Reply(index)
    return Reply(None, "not on the menu", f"no {_shown(found.action)} at {_cut(str(found.target))}")


def _shown(text: str) -> str:
    return repr(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
