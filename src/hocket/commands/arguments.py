"""What several commands take, checked: seats, settings of a game, numbers."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import msgspec
import typer

from hocket.runtime.errors import SeatError, SettingError
from hocket.runtime.game import Game

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
MOST_STEPS = 1_000_000_000


class Paces(StrEnum):
    """Whether the world waits for answers."""

    lockstep = "lockstep"
    simulated = "simulated"
    live = "live"


def parse_seats(seats: Sequence[str], game: Game[Any]) -> dict[int, str]:
    """Read `N=AGENT` for each seat that is named.

    Raises:
        SettingError: not of that form.
        SeatError: no such seat, or one named twice.
    """
    right = "N=AGENT, e.g. 0=random"
    for entry in seats:
        if not entry.partition("=")[2]:
            raise SettingError(setting="--seat", value=entry, right=right)
    return by_seat("--seat", seats, game, right)


def by_seat(setting: str, entries: Sequence[str], game: Game[Any], right: str) -> dict[int, str]:
    """Read `N=TEXT` for each seat that is named.

    Raises:
        SettingError: not of that form; `right` says which it should be.
        SeatError: no such seat, or one named twice.
    """
    named: dict[int, str] = {}
    for entry in entries:
        number, equals, text = entry.partition("=")
        if not equals or not number.strip().isdecimal() or len(number) > 9:
            raise SettingError(setting=setting, value=entry, right=right)
        seat = int(number)
        problem = "is not there" if seat >= game.seats else "is named twice" if seat in named else None
        if problem is not None:
            raise SeatError(seat=seat, game=game.spec.name, seats=game.seats, problem=problem)
        named[seat] = text
    return named


def parse_settings(settings: Sequence[str]) -> dict[str, object]:
    """Read `KEY=VALUE`; a value is JSON where it can be read as such, else text."""
    parsed: dict[str, object] = {}
    for entry in settings:
        key, equals, text = entry.partition("=")
        if not equals or not key:
            raise SettingError(setting="--set", value=entry, right="KEY=VALUE, e.g. old_dynamics=true")
        try:
            parsed[key] = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            parsed[key] = text
    return parsed


def checked_steps(steps: int) -> int:
    """Refuse an episode of no length, or of one that no disk could hold."""
    if not 0 < steps <= MOST_STEPS:
        raise SettingError(setting="--steps", value=steps, right=f"1 to {MOST_STEPS:,}")
    return steps


def checked_count(setting: str, count: int) -> int:
    """Refuse a number of things of which there must be at least one."""
    if not 1 <= count <= 4096:
        raise SettingError(setting=setting, value=count, right="1 to 4096")
    return count
