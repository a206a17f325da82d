"""`--swap`: seats that change hands while an episode runs."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hocket.agents.spec import Cast
from hocket.runtime.errors import SeatError, SettingError
from hocket.runtime.game import Game
from hocket.runtime.swap import Swap

Swaps = Annotated[
    list[str],
    typer.Option(
        "--swap",
        metavar="TICK:N=AGENT",
        help="Seat N changes hands at that tick, or once its option has ended, e.g. 200:1=idle.",
    ),
]
_RIGHT = "TICK:N=AGENT, e.g. 200:1=idle"


def parse_swaps(given: Sequence[str], game: Game[Any], cast: Cast) -> list[Swap]:
    """Read `TICK:N=AGENT` for each change; the earliest first, as they were given on one tick.

    Raises:
        SettingError: not of that form.
        SeatError: no such seat.
        UsageError: an agent that cannot be loaded.
    """
    found: list[Swap] = []
    for entry in given:
        place, equals, agent = entry.partition("=")
        tick, colon, number = place.partition(":")
        if not (equals and colon and agent) or not all(each.isdecimal() and len(each) <= 9 for each in (tick, number)):
            raise SettingError(setting="--swap", value=entry, right=_RIGHT)
        seat = int(number)
        if seat >= game.seats:
            raise SeatError(seat=seat, game=game.spec.name, seats=game.seats, problem="is not there")
        holder = cast.holder(agent, seat)
        found.append(Swap(int(tick), seat, holder.name, holder.agent, holder.adapter))
    return sorted(found, key=lambda swap: swap.tick)
