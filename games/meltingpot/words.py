"""A Melting Pot world in words, as an avatar reads it.

Told is what is in its window, and what never changes: where river, orchard and patches
are. Distances are steps on foot, as if nobody stood in the way.
"""

from collections.abc import Iterable, Sequence

from hocket.games.meltingpot.facts import Facts
from hocket.games.meltingpot.ground import Ground
from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.view import AvatarView, Seen, Viewer
from hocket.runtime.words import Situation

NEAREST = 3
"""Things of a kind that are told with their places."""


class _AvatarWords:
    """What both games tell in the same words."""

    stages: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    brief_rules = ""

    def __init__(self, ground: Ground, viewer: Viewer, seats: int) -> None:
        self._ground, self._viewer, self._seats = ground, viewer, seats

    def full(self, facts: Facts, seat: int) -> Situation:
        """Tell in sentences: place, what is seen, the layout."""
        view = self._viewer.view(facts, seat)
        if view.place is None:
            return Situation((f"You are agent {seat}. You have been zapped out of the game for a while.",), (), ())
        return Situation(
            own=(
                f"You are agent {seat}. World position: {view.place}. Facing: {view.facing}.",
                f"You stand on {view.ground}.",
                *self._ready(view),
            ),
            partners=tuple(
                f"agent {other.seat} at {other.at}, facing {other.facing}, {_steps(other.steps)} away"
                for other in view.others
            ),
            world=(*self._seen(view, facts, seat), *self._layout(facts.places[seat])),
        )

    def brief(self, facts: Facts, seat: int) -> Situation:
        """Tell in few words: `me@14,9 west`, `mate@13,9 north`, `apple 13 near 2`."""
        view = self._viewer.view(facts, seat)
        if view.place is None:
            return Situation(("me zapped",), (), ())
        return Situation(
            own=(f"me{_at(view.place)} {view.facing}",),
            partners=tuple(f"mate{_at(other.at)} {other.facing}" for other in view.others),
            world=tuple(self._brief_world(view, facts, seat)),
        )

    def _ready(self, view: AvatarView) -> Iterable[str]:
        return ()

    def _seen(self, view: AvatarView, facts: Facts, seat: int) -> Iterable[str]:
        raise NotImplementedError

    def _layout(self, place: int) -> Iterable[str]:
        raise NotImplementedError

    def _brief_world(self, view: AvatarView, facts: Facts, seat: int) -> Iterable[str]:
        raise NotImplementedError

    def _far(self, place: int, cells: Iterable[int]) -> int:
        far = self._ground.walks.distances(place)
        return min(far[cell] for cell in cells)


class CleanupWords(_AvatarWords):
    """The words of Cleanup."""

    stages = ("eating", "cleaning", "walking", "waiting")

    def __init__(self, ground: Ground, viewer: Viewer, seats: int) -> None:
        super().__init__(ground, viewer, seats)
        terrain = ground.terrain
        self.rules = (
            (
                f"You are one of {seats} agents in a world of {terrain.width} by {terrain.height} cells, (0, 0) in its "
                "upper left corner."
            ),
            "The team has 1 point for each apple that is eaten, whoever eats it; to step on an apple is to eat it.",
            (
                f"Apples grow in the orchard ({_rows(terrain, terrain.apple_sites)}), the faster the cleaner the river "
                f"({_rows(terrain, terrain.dirt_sites)}) is."
            ),
            "While four tenths of the river or more are dirty, no apple grows. After a while dirt comes by itself.",
            "A cleaning beam takes dirt away; it can be fired every third step.",
            "You see 11 by 11 cells: nine ahead of you, one behind, five to each side.",
        )
        self.brief_rules = f"cleanup {seats} players clean river eat apple"

    def _ready(self, view: AvatarView) -> Iterable[str]:
        wait = view.clean_wait
        yield f"The cleaning beam is ready in {_steps(wait)}." if wait else "The cleaning beam is ready."

    def _seen(self, view: AvatarView, facts: Facts, seat: int) -> Iterable[str]:
        yield _things("Apples", view.apples)
        yield _things("Dirt", view.dirt)

    def _layout(self, place: int) -> Iterable[str]:
        terrain = self._ground.terrain
        for name, sites in (("river", terrain.dirt_sites), ("orchard", terrain.apple_sites)):
            if place in sites:
                yield f"Layout: you are in the {name} ({_rows(terrain, sites)})."
            else:
                north = place // terrain.width > sites[0] // terrain.width
                yield (
                    f"Layout: the {name} is to your {'north' if north else 'south'} ({_rows(terrain, sites)}), "
                    f"{_steps(self._far(place, sites))} away."
                )

    def _brief_world(self, view: AvatarView, facts: Facts, seat: int) -> Iterable[str]:
        terrain, place = self._ground.terrain, facts.places[seat]
        yield f"river far {self._far(place, terrain.dirt_sites)} dirt {_brief(view.dirt)}"
        yield f"orchard far {self._far(place, terrain.apple_sites)} apples {_brief(view.apples)}"


class HarvestWords(_AvatarWords):
    """The words of Commons Harvest."""

    stages = ("eating", "walking", "waiting", "growing")

    def __init__(self, ground: Ground, viewer: Viewer, seats: int) -> None:
        super().__init__(ground, viewer, seats)
        terrain = ground.terrain
        patches = ", ".join(
            f"{terrain.place(centre)} with {len(patch)} places"
            for centre, patch in zip(terrain.centres, terrain.patches, strict=True)
        )
        self.rules = (
            (
                f"You are one of {seats} agents in a world of {terrain.width} by {terrain.height} cells, (0, 0) in its "
                "upper left corner."
            ),
            "The team has 1 point for each apple that is eaten, whoever eats it; to step on an apple is to eat it.",
            f"Apples grow on patches around {patches}.",
            "An eaten apple grows again only while others near it are left. A patch whose last apple is eaten is dead.",
            "You see 11 by 11 cells: nine ahead of you, one behind, five to each side.",
        )
        self.brief_rules = f"harvest {seats} players eat apple"

    def _seen(self, view: AvatarView, facts: Facts, seat: int) -> Iterable[str]:
        yield _things("Apples", view.apples)
        for patch in view.patches:
            seen = "all of it seen" if patch.seen == patch.places else "partly seen"
            yield f"Patch {patch.at}: {patch.apples} apples in view, {seen}."

    def _layout(self, place: int) -> Iterable[str]:
        terrain = self._ground.terrain
        number = min(range(len(terrain.patches)), key=lambda patch: self._far(place, terrain.patches[patch]))
        yield (
            f"Layout: the nearest patch is {terrain.place(terrain.centres[number])}, "
            f"{_steps(self._far(place, terrain.patches[number]))} away."
        )

    def _brief_world(self, view: AvatarView, facts: Facts, seat: int) -> Iterable[str]:
        yield f"apples {_brief(view.apples)}"
        for patch in view.patches:
            yield f"patch{_at(patch.at)} level {patch.apples} {'inside' if patch.seen == patch.places else 'outside'}"


def _rows(terrain: Terrain, sites: Sequence[int]) -> str:
    return f"rows {sites[0] // terrain.width} to {sites[-1] // terrain.width}"


def _things(name: str, seen: tuple[Seen, ...]) -> str:
    nearest = ", ".join(f"{thing.at} {_steps(thing.steps)}" for thing in seen[:NEAREST])
    return f"{name} visible: {len(seen)}" + (f", nearest {nearest}." if seen else ".")


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"


def _brief(seen: tuple[Seen, ...]) -> str:
    return f"{len(seen)} near {seen[0].steps}" if seen else "none"


def _at(place: tuple[int, int]) -> str:
    return f"@{place[0]},{place[1]}"
