"""The options of a pantry, in their four parts.

Walking takes as long as the way is, so options differ in length; `open_hatch`
changes shared state alone; `take` fails explicitly where the table is empty.
"""

from collections.abc import Callable, Sequence

from hocket.games import wait as wait_module
from hocket.games.pantry.rules import ACT, BEFORE, HATCH, ROOM_ON_TABLE, SHELF, STAY, TABLE, Facts
from hocket.games.wait import Wait
from hocket.runtime.events import Cell
from hocket.runtime.option import Failure, Feature, Instance, Library, Plan, instance, source_digest

Judge = Callable[[Facts, Facts, int], bool]


HELD = Feature("held", ("nothing", "jar"), own=True)
TABLE_STATE = Feature("table", ("empty", "some", "full"))
HATCH_STATE = Feature("hatch", ("shut", "open"))
OTHER_NEAR = Feature("other_near", ("no", "yes"))


class _AtFixture:
    replans = False
    slack = 0
    fixed = True
    senses = (OTHER_NEAR,)

    def __init__(
        self,
        name: str,
        fixture: Cell,
        words: str,
        judge: Judge,
        *,
        private: bool = True,
        needs: Callable[[Facts], Failure | None] = lambda facts: None,
    ) -> None:
        self.name, self.private = name, private
        self.reads = (HELD, *_READ_AT[fixture])
        self._only = (instance(name, fixture, words),)
        self._stand, self._judge, self._needs = BEFORE[fixture], judge, needs

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """What is held, and the state of the fixture."""
        held = int(facts.held[seat])
        if instance.target == TABLE:
            return held, 0 if not facts.jars else 2 if facts.jars == ROOM_ON_TABLE else 1
        return (held, int(facts.hatch_open)) if instance.target == HATCH else (held,)

    def sense(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether another cook stands before the fixture."""
        return (int(any(place == self._stand for other, place in enumerate(facts.places) if other != seat)),)

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """Return the one fixture of its kind."""
        return self._only

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk to the cell before the fixture, sideways first, and act."""
        failure = self._needs(facts)
        if failure is not None:
            return failure
        (x, y), (there_x, there_y) = facts.places[seat], self._stand
        sideways = (2,) * (there_x - x) + (3,) * (x - there_x)
        return (*sideways, *(1,) * (there_y - y), *(0,) * (y - there_y), ACT)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare two states, for this seat."""
        return self._judge(before, after, seat)


_READ_AT: dict[Cell, tuple[Feature, ...]] = {SHELF: (), TABLE: (TABLE_STATE,), HATCH: (HATCH_STATE,)}


def _table(facts: Facts) -> Failure | None:
    return None if facts.jars else Failure("TableEmpty")


def _gained(before: Facts, after: Facts, seat: int) -> bool:
    return after.held[seat] and not before.held[seat]


def _gave(before: Facts, after: Facts, seat: int) -> bool:
    return before.held[seat] and not after.held[seat]


def _opened(before: Facts, after: Facts, seat: int) -> bool:
    return after.hatch_open and not before.hatch_open


def default_library() -> Library[Facts]:
    """Build the options of every pantry."""
    return Library(
        name="default",
        version=1,
        digest=source_digest(__file__, wait_module.__file__),
        options=[
            Wait(STAY, 2),
            _AtFixture("fetch", SHELF, "fetch a jar from the shelf", _gained),
            _AtFixture("hand_over", TABLE, "put the jar on the table", _gave),
            _AtFixture("take", TABLE, "take a jar from the table", _gained, needs=_table),
            _AtFixture("open_hatch", HATCH, "open the hatch", _opened, private=False),
            _AtFixture("serve", HATCH, "serve the jar at the hatch", _gave),
        ],
    )
