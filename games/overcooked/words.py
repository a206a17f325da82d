"""A kitchen in words, as a cook reads it.

Distances are moves to where a pot can be used, as if nobody stood in the way.
"""

from collections.abc import Iterable

from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.starts import kitchen_paths
from hocket.games.overcooked.view import CookView, KitchenView, PotView, Viewer
from hocket.runtime.words import Situation

STAGES = ("empty", "filling", "cooking", "ready_to_plate", "delivering")


class KitchenWords:
    """The words of one kitchen."""

    stages = STAGES

    def __init__(self, kitchen: Kitchen, viewer: Viewer) -> None:
        self._kitchen, self._viewer, self._paths = kitchen, viewer, kitchen_paths(kitchen)
        layout = kitchen.layout
        soups = ", ".join(
            f"{_list(soup)} ({layout.points(soup):g} points, cooks {layout.time(soup)} ticks)"
            for soup in layout.orders()
        )
        starts = "the last one that fits starts it" if kitchen.old_dynamics else "start the pot"
        self.rules = (
            f"{_company(kitchen.players)} in a kitchen of Overcooked.",
            f"The team is paid for soups at a window, whoever brings them: {soups}.",
            f"Put ingredients into a pot, {layout.max_num_ingredients} at most; {starts}.",
            "When the soup is done, take it out with a dish and deliver it at a window.",
            "The kitchen, (0, 0) in its upper left corner: X counter, P pot, O onions, T tomatoes, D dishes, S window.",
            *("".join("." if mark == " " else mark for mark in row) for row in viewer.grid),
        )
        self.brief_rules = f"overcooked {kitchen.players} cooks fill start plate deliver soup"

    def full(self, facts: tuple[int, ...], seat: int) -> Situation:
        """Tell in sentences: cooks, pots with the ways of all cooks, counters, layout."""
        view = self._viewer.view(facts, seat)
        me = view.me
        names = self._others(seat)
        return Situation(
            own=(f"You are cook {seat} at {me.place}, facing {me.facing}, holding {_held(me.held)}.",),
            partners=tuple(
                f"cook {name} at {cook.place}, facing {cook.facing}, holding {_held(cook.held)}"
                for name, cook in zip(names, view.others, strict=True)
            ),
            world=(
                "Pots:",
                *(f"- {self._pot(pot)}; {self._ways(facts, seat, place)}" for place, pot in enumerate(view.pots)),
                f"Counters: {_counters(view)}.",
                f"Layout: {self._kitchen.layout.name}.",
            ),
        )

    def brief(self, facts: tuple[int, ...], seat: int) -> Situation:
        """Tell in few words: `me@1,1 west onion`, `pot@4,2 filling 2 left 0 far 4 1`, `on@3,2 dish`."""
        view = self._viewer.view(facts, seat)
        pots = (
            f"pot@{_at(pot)} {pot.state} {' '.join(pot.contents) or 'nothing'} left {pot.left} far {ways}"
            for pot, ways in zip(view.pots, self._brief_ways(facts, seat), strict=True)
        )
        counters = (f"on@{x},{y} {_brief_item(item)}" for (x, y), item in view.counters)
        return Situation(
            own=(f"me{_brief_cook(view.me)}",),
            partners=tuple(f"mate{_brief_cook(cook)}" for cook in view.others),
            world=(*pots, *counters),
        )

    def _others(self, seat: int) -> list[int]:
        return [each for each in range(self._kitchen.players) if each != seat]

    def _pot(self, pot: PotView) -> str:
        stage = {"cooking": f"cooking, {pot.left} ticks left", "ready": "the soup is done"}.get(pot.state, pot.state)
        there = f" ({_list(pot.contents)})" if pot.contents else ""
        most = self._kitchen.layout.max_num_ingredients
        return f"pot {pot.at}: {stage}, {len(pot.contents)} of {most} ingredients{there}"

    def _ways(self, facts: tuple[int, ...], seat: int, place: int) -> str:
        mine = self._way(facts, seat, place)
        theirs = {name: self._way(facts, name, place) for name in self._others(seat)}
        told = ", ".join([f"you: {_moves(mine)}", *(f"cook {name}: {_moves(way)}" for name, way in theirs.items())])
        known = {name: way for name, way in {seat: mine, **theirs}.items() if way is not None}
        closest = [name for name, way in known.items() if way == min(known.values())]
        if len(closest) == 1 and len(known) > 1:
            told += "; you are closest" if closest[0] == seat else f"; cook {closest[0]} is closest"
        return f"moves to it: {told}"

    def _brief_ways(self, facts: tuple[int, ...], seat: int) -> Iterable[str]:
        for place in range(len(self._kitchen.pots)):
            ways = [self._way(facts, cook, place) for cook in (seat, *self._others(seat))]
            yield " ".join("none" if way is None else str(way) for way in ways)

    def _way(self, facts: tuple[int, ...], cook: int, place: int) -> int | None:
        cell, heading = facts[self._kitchen.seat0 + 3 * cook :][:2]
        plan = self._paths.plan(self._kitchen.pots[place], cell * 4 + heading, ())
        return None if plan is None else len(plan) - 1


def _company(cooks: int) -> str:
    return "You are the only cook" if cooks == 1 else f"You are one of {cooks} cooks"


def _moves(way: int | None) -> str:
    return "out of reach" if way is None else str(way)


def _held(item: str) -> str:
    kind, _, contents = item.partition(":")
    if kind == "soup":
        return f"a soup of {_list(contents.split(','))}"
    return item if item == "nothing" else f"{'an' if item == 'onion' else 'a'} {item}"


def _list(things: Iterable[str]) -> str:
    return "+".join(things)


def _counters(view: KitchenView) -> str:
    return ", ".join(f"{_held(item)} on {place}" for place, item in view.counters) or "empty"


def _at(pot: PotView) -> str:
    return f"{pot.at[0]},{pot.at[1]}"


def _brief_cook(cook: CookView) -> str:
    return f"@{cook.place[0]},{cook.place[1]} {cook.facing} {_brief_item(cook.held)}"


def _brief_item(item: str) -> str:
    return item.replace(":", " ").replace(",", " ")
