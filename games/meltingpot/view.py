"""What an avatar may see: itself, and its window of 11 by 11 cells."""

from functools import lru_cache

import msgspec

from hocket.games.meltingpot.facts import HEADINGS, OUT, Facts
from hocket.games.meltingpot.ground import Ground
from hocket.games.meltingpot.window import AHEAD, NOWHERE, SIDE, SPAN
from hocket.runtime.events import Cell


class Seen(msgspec.Struct, frozen=True):
    """Something in view."""

    at: Cell
    steps: int
    """On foot, as if nobody stood in the way."""
    patch: int = -1
    """Number of the patch that an apple is on, in Commons Harvest."""


class PatchSeen(msgspec.Struct, frozen=True):
    """A patch of Commons Harvest that is at least partly in view."""

    number: int
    at: Cell
    """Its middle."""
    places: int
    """Where an apple can be, in view or not."""
    seen: int
    """How many of these are in view."""
    apples: int
    """Apples in view."""


class AvatarSeen(msgspec.Struct, frozen=True):
    """Another avatar in view."""

    seat: int
    at: Cell
    facing: str
    steps: int


class AvatarView(msgspec.Struct, frozen=True):
    """A world as one avatar sees it; things are the nearest first, ties by coordinates."""

    seat: int
    place: Cell | None
    """Where it stands; None while it is out of the game, and then it sees nothing."""
    facing: str
    """`north`, `east`, `south` or `west`."""
    ground: str
    """What it stands on: `sand`, `grass` or `water`."""
    zap_wait: int
    """Steps until it can zap again."""
    clean_wait: int
    """Steps until it can clean again."""
    apples: tuple[Seen, ...]
    dirt: tuple[Seen, ...]
    others: tuple[AvatarSeen, ...]
    patches: tuple[PatchSeen, ...]
    """In Commons Harvest, in order of their numbers."""
    around: tuple[str, ...]
    """Eleven rows of eleven characters, the farthest ahead first, of what never changes: `#` wall, `~` water,
    `"` grass, `.` other ground, a space for outside."""

    @property
    def window(self) -> tuple[str, ...]:
        """The same with what is there now: `a` apple, `d` dirt, `@` itself, `^>v<` another avatar, by heading as
        seen from here."""
        if self.place is None:
            return ()
        heading = HEADINGS.index(self.facing)
        marks = [list(row) for row in self.around]
        others = [(each.at, "^>v<"[(HEADINGS.index(each.facing) - heading) % 4]) for each in self.others]
        things = (*((each.at, "a") for each in self.apples), *((each.at, "d") for each in self.dirt), *others)
        for at, mark in (*things, (self.place, "@")):
            row, column = seen_at(self.place, heading, at)
            marks[row][column] = mark
        return tuple("".join(row) for row in marks)


class Viewer:
    """Makes the views of one world."""

    def __init__(self, ground: Ground, *, patches: bool) -> None:
        """Make views of a map; with `patches`, apples are told by patch."""
        self._ground = ground
        terrain = ground.terrain
        self._patch_of = terrain.patch_of if patches else {}
        self._patches = terrain.patches if patches else ()
        self._marks = ["#" if cell in terrain.walls else "." for cell in range(terrain.width * terrain.height)]
        for cell in sorted(terrain.grass):
            self._marks[cell] = '"'
        for cell in sorted(terrain.water):
            self._marks[cell] = "~"
        self._bare = lru_cache(maxsize=None)(self._bare_window)

    def view(self, facts: Facts, seat: int) -> AvatarView:
        """See `facts` from `seat`."""
        cell, heading = facts.places[seat], facts.headings[seat]
        out = cell == OUT
        apples, dirt = self._seen(facts.apples, facts, seat), self._seen(facts.dirt, facts, seat)
        return AvatarView(
            seat=seat,
            place=None if out else self._ground.terrain.place(cell),
            facing=HEADINGS[heading],
            ground="" if out else {"~": "water", '"': "grass"}.get(self._marks[cell], "sand"),
            zap_wait=facts.zap_wait[seat],
            clean_wait=facts.clean_wait[seat],
            apples=apples,
            dirt=dirt,
            others=() if out else self._others(facts, seat),
            patches=() if out else self._in_view(apples, self._ground.windows.cells(cell, heading)),
            around=() if out else self._bare(cell, heading),
        )

    def _seen(self, cells: tuple[int, ...], facts: Facts, seat: int) -> tuple[Seen, ...]:
        place = self._ground.terrain.place
        seen = self._ground.windows.seen(cells, facts, seat)
        if not seen:
            return ()
        far = self._ground.walks.distances(facts.places[seat])
        found = sorted([(far[cell], place(cell), self._patch_of.get(cell, -1)) for cell in seen])
        return tuple(Seen(at, steps, patch) for steps, at, patch in found)

    def _in_view(self, apples: tuple[Seen, ...], window: frozenset[int]) -> tuple[PatchSeen, ...]:
        place = self._ground.terrain.place
        counts = [apple.patch for apple in apples]
        found = []
        for number, patch in enumerate(self._patches):
            seen = sum(site in window for site in patch)
            if seen:
                centre = place(self._ground.terrain.centres[number])
                found.append(PatchSeen(number, centre, len(patch), seen, counts.count(number)))
        return tuple(found)

    def _others(self, facts: Facts, seat: int) -> tuple[AvatarSeen, ...]:
        far, place = self._ground.walks.distances(facts.places[seat]), self._ground.terrain.place
        window = self._ground.windows.cells(facts.places[seat], facts.headings[seat])
        seen = [
            AvatarSeen(other, place(cell), HEADINGS[facts.headings[other]], far[cell])
            for other, cell in enumerate(facts.places)
            if other != seat and cell in window
        ]
        return tuple(sorted(seen, key=lambda each: (each.steps, each.seat)))

    def _bare_window(self, cell: int, heading: int) -> tuple[str, ...]:
        """Draw what never changes of a window."""
        cells = self._ground.windows.rows(cell, heading)
        text = "".join(" " if each == NOWHERE else self._marks[each] for each in cells)
        return tuple(text[row : row + SPAN] for row in range(0, SPAN * SPAN, SPAN))


def seen_at(place: Cell, heading: int, there: Cell) -> tuple[int, int]:
    """Return row and column in a window at which a cell in view is seen."""
    x, y = there[0] - place[0], there[1] - place[1]
    ahead_x, ahead_y = ((0, -1), (1, 0), (0, 1), (-1, 0))[heading]
    return AHEAD - x * ahead_x - y * ahead_y, SIDE + y * ahead_x - x * ahead_y
