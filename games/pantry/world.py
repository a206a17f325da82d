"""The pantry as a game, and its line in the table of games."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.games.guard_files import committed_guards
from hocket.games.pantry.options import default_library
from hocket.games.pantry.roles import Roles, roles_library
from hocket.games.pantry.rules import ACTIONS, FLOOR, HATCH, ROOM_ON_TABLE, SHELF, STAY, TABLE, Facts, move
from hocket.games.pantry.words import PantryWords
from hocket.runtime.errors import SettingError, UnknownNameError
from hocket.runtime.events import Cell, GameEvent
from hocket.runtime.game import Game, GameSpec, read_starts
from hocket.runtime.option import Library
from hocket.runtime.seed import Streams

MOST_SEATS = 12


class PantryView(msgspec.Struct, frozen=True):
    """What a seat may see: everything, but not which seat it is."""

    place: Cell
    held: bool
    others: tuple[tuple[Cell, bool], ...]
    """Place and whether a jar is held, of every other seat, in seat order."""
    jars: int
    hatch_open: bool


class Pantry:
    """One pantry, with 1 to 12 cooks."""

    actions = ACTIONS
    noop = STAY
    steps = 60

    def __init__(self, seats: int) -> None:
        self.spec = GameSpec("pantry", "pantry", {"seats": seats})
        self.seats = seats
        self.words = PantryWords(seats)
        self._facts = Facts(FLOOR[:seats], (False,) * seats)

    def reset(self, seed: int, starts: str) -> None:
        """Place the cooks, from the seed; `varied` also deals out jars and sets the hatch."""
        kind, drawn_from = read_starts(starts, seed)
        dice = Streams(drawn_from).dice("start")
        places = tuple(dice.choice(FLOOR) for _ in range(self.seats))
        held, jars, hatch_open = (False,) * self.seats, 0, False
        if kind == "varied":
            held = tuple(dice.random() < 0.5 for _ in range(self.seats))
            jars, hatch_open = dice.randint(0, ROOM_ON_TABLE), dice.random() < 0.5
        self._facts = Facts(places, held, jars, hatch_open)

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        """Carry out one action a seat, in seat order."""
        if len(joint) != self.seats or not all(0 <= action < len(ACTIONS) for action in joint):
            raise ValueError(f"{joint!r} is no joint action of {self.seats} seats")
        self._facts, rewards, events = move(self._facts, joint)
        return rewards, events

    def facts(self) -> Facts:
        """Return the whole state."""
        return self._facts

    def landmarks(self) -> dict[str, tuple[Cell, ...]]:
        """Return the three fixtures."""
        return {"shelf": (SHELF,), "table": (TABLE,), "hatch": (HATCH,)}

    @property
    def size(self) -> Cell:
        """Width and height of the room with its fixtures, in cells."""
        return 7, 5

    def apart(self) -> bool:
        """Return that they do not: every floor hangs together."""
        return False

    def places(self, facts: Facts) -> tuple[Cell, ...]:
        """Return where each cook stands."""
        return facts.places

    def observe(self, facts: Facts, seat: int) -> PantryView:
        """Return what `seat` may see."""
        others = tuple((facts.places[other], facts.held[other]) for other in range(self.seats) if other != seat)
        return PantryView(facts.places[seat], facts.held[seat], others, facts.jars, facts.hatch_open)

    def array(self, facts: Facts, seat: int) -> NDArray[np.float32]:
        """Own x, y, jar, then those of the others in seat order, then jars on the table and hatch.

        Shape [3 * seats + 2], float32, each scaled to 0..1.
        """
        order = [seat, *(other for other in range(self.seats) if other != seat)]
        cooks = [(facts.places[cook][0] / 6, facts.places[cook][1] / 4, float(facts.held[cook])) for cook in order]
        room = (facts.jars / ROOM_ON_TABLE, float(facts.hatch_open))
        return np.array([*(number for cook in cooks for number in cook), *room], dtype=np.float32)

    def picture(self, facts: Facts) -> str:
        """Draw the room, with a legend."""
        rows = [["#"] * 7 for _ in range(5)]
        for x, y in FLOOR:
            rows[y][x] = "."
        for (x, y), mark in ((SHELF, "H"), (TABLE, "T"), (HATCH, "O" if facts.hatch_open else "D")):
            rows[y][x] = mark
        for seat, (x, y) in reversed(list(enumerate(facts.places))):
            rows[y][x] = "0123456789ab"[seat]
        jars = "".join("0123456789ab"[seat] for seat, held in enumerate(facts.held) if held)
        below = f"jars: {facts.jars} on the table, held by {jars or 'nobody'}"
        return "\n".join([*map("".join, rows), below, "", "H shelf  T table  D hatch, O when it is open  0 1 2 cooks"])


class PantryKind:
    """The toy games."""

    name = "pantry"
    about = "the toy game: fetch a jar, hand it over, serve it"

    def variants(self) -> tuple[str, ...]:
        """Return the pantry itself and the game of two roles."""
        return ("", "roles")

    def make(self, variant: str, settings: Mapping[str, object]) -> Game[Any]:
        """Build a pantry; setting `seats`: 1 to 12, 2 by default."""
        if variant not in self.variants():
            raise UnknownNameError(kind="pantry", name=variant, known=("roles",))
        known = {"seats": 2} if variant == "" else {}
        for setting in settings:
            if setting not in known:
                raise UnknownNameError(kind=f"setting of {self.name}", name=setting, known=known)
        if variant == "roles":
            return Roles()
        seats = settings.get("seats", 2)
        if isinstance(seats, bool) or not isinstance(seats, int) or not 1 <= seats <= MOST_SEATS:
            raise SettingError(setting="seats", value=seats, right=f"1 to {MOST_SEATS}")
        return Pantry(seats)

    def rebuild(self, spec: GameSpec) -> Game[Any]:
        """Build the pantry of a trace."""
        return self.make(spec.name.partition(":")[2], spec.settings)

    def rules(self, spec: GameSpec) -> GameSpec:
        """Return the spec itself: there is one engine."""
        return spec

    def guards(self, game: Game[Any], library: str) -> bytes | None:
        """Return the guard file of a pantry, where one is committed."""
        return committed_guards("hocket.games.pantry", library, game.spec.name)

    def library(self, game: Game[Any], name: str) -> Library[Any]:
        """Return the one library of each pantry."""
        if name != "default":
            raise UnknownNameError(kind="option library", name=name, known=("default",))
        return roles_library() if isinstance(game, Roles) else default_library()


KIND = PantryKind()
