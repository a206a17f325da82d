"""Errands: options that fetch, carry and put down in one go, as errand.py describes.

Serving goes on past the pot only if, by the facts, the pot will have soup to give when
the cook is there; so every plan drains with a last interact, done or in vain.

`load_*`, `pass_*` and `serve_soup` may begin and end with empty hands: that is no private
change, and so their guards are mined from solo records. `discard` picks its counter as
it goes; the others aim at every tile of their class.

Source: the option contracts of section 5.1 of the PA-MAGRPO paper.
"""

from collections.abc import Sequence

from hocket.games import paths as paths_module
from hocket.games import wait as wait_module
from hocket.games.overcooked import at_tile, deeds, errand, rooms
from hocket.games.overcooked.at_tile import HELD, NO_PATH, NOTHING_HELD, TARGET_ABSENT, AtTile, Facts
from hocket.games.overcooked.deeds import Hands, PutDown, StartCooking, TakeUp, delivered, plated, put_down
from hocket.games.overcooked.errand import Bring, Errand, Stages, joined
from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO
from hocket.games.overcooked.kitchen import STAY, Kitchen
from hocket.games.overcooked.options import aimed
from hocket.games.overcooked.rooms import Rooms
from hocket.games.overcooked.starts import kitchen_paths
from hocket.games.paths import Paths
from hocket.games.wait import Wait
from hocket.runtime.option import Failure, Instance, Library, Option, Plan, instance, source_digest

WAIT_TICKS = 4


class _Load(Bring):
    """An ingredient into the pot."""

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether empty hands are left, and the pot came to hold what it did not."""
        slot = self._slot[instance.key]
        return self.handed(instance, before, after, seat) and after[slot] != NOTHING and _other(before, after, slot)


class _Pass(Bring):
    """A thing onto the counter, for the other room."""

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether empty hands are left, and the thing came to lie there."""
        slot = self._slot[instance.key]
        return self.handed(instance, before, after, seat) and before[slot] != self._code == after[slot]


class _ServeSoup(Errand):
    """A dish from the nearest dispenser, or the one in hand; the pot's soup on it; to the nearest window."""

    def __init__(self, kitchen: Kitchen, paths: Paths) -> None:
        super().__init__("serve_soup", "plate and deliver the soup of the pot", kitchen, paths, kitchen.pots)
        self._dishes, self._windows = kitchen.tiles("D"), kitchen.tiles("S")

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Go by what is still missing, of dish, pot and window."""
        held = facts[3 + 3 * seat]
        pot = (self._tile[instance.key],)
        stages: Stages = (self._dishes, pot, self._windows)
        if held:
            stages = (self._windows,) if held > SOUP else (pot, self._windows) if held == DISH else (pot,)
        ways = self.go(stages, facts, seat)
        if ways is None:
            return NO_PATH
        *through, last = ways
        reach = joined(through)
        in_vain = through and not self._done(instance, facts, len(reach) - 1)
        return reach if in_vain else reach + last

    def _done(self, instance: Instance, facts: Facts, ticks: int) -> bool:
        """Tell whether the pot has soup to give, some ticks from now."""
        slot = self._slot[instance.key]
        return facts[slot + 1] >= 0 and facts[slot + 1] + ticks >= self._cook_time[facts[slot]]

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether hands without a soup are empty, before a window, and the pot is not as it was."""
        slot = self._slot[instance.key]
        return (
            before[3 + 3 * seat] in (NOTHING, DISH)
            and after[3 + 3 * seat] == NOTHING != before[slot]
            and self.stands_at(self._windows, after, seat)
            and _other(before, after, slot)
        )


class _Discard(AtTile):
    """To the nearest counter that is free and that no other room needs."""

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        super().__init__(name, words, kitchen, paths, tiles)
        self._free = [(tile, kitchen.tables.slots[tile]) for tile in self._tile.values()]
        self._targets = (instance(name, None, words),) if self._free else ()
        self.reads = (HELD,)

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """What is held."""
        return (min(facts[3 + 3 * seat], SOUP),)

    def sense(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether another cook stands beside the acting one."""
        here = facts[1 + 3 * seat]
        around = (1, -1, self._width, -self._width)
        return (int(any(facts[other] - here in around for other in self._others[seat])),)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Fail where nothing is held, or where no counter is free."""
        if not facts[3 + 3 * seat]:
            return NOTHING_HELD
        free = [tile for tile, slot in self._free if not facts[slot]]
        if not free:
            return TARGET_ABSENT
        place, blocked = 1 + 3 * seat, self._blocked(facts, seat)
        pose = facts[place] * 4 + facts[place + 1]
        found = [plan for tile in free if (plan := self._paths.plan(tile, pose, blocked)) is not None]
        return min(found, key=len, default=NO_PATH)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare what the seat held before and after."""
        return put_down(before[3 + 3 * seat], after[3 + 3 * seat])


def errands_library(kitchen: Kitchen) -> Library[Facts]:
    """Build the options of one kitchen, with tables of their own."""
    paths = kitchen_paths(kitchen)
    plan = Rooms(kitchen, paths)
    onion, tomato, dish = (ONION, "O"), (TOMATO, "T"), (DISH, "D")
    counters, windows = kitchen.counters, kitchen.tiles("S")
    shared = plan.shared(counters)
    own = [tile for tile in counters if tile not in shared]
    served = {room for window in windows for room in plan.of(window)}
    passed_on = [pot for pot in kitchen.pots if not served.issuperset(plan.of(pot))]
    options: list[Option[Facts]] = [
        Wait(STAY, WAIT_TICKS),
        _Load("load_onion", "bring an onion to the pot", kitchen, paths, kitchen.pots, onion),
        _Load("load_tomato", "bring a tomato to the pot", kitchen, paths, kitchen.pots, tomato),
        StartCooking("start_cooking", "go and get the pot cooking", kitchen, paths, kitchen.pots),
        _ServeSoup(kitchen, paths),
        Hands("plate_for_partner", "plate the soup for the other room", kitchen, paths, passed_on, plated),
        Hands("bring_to_window", "bring the soup in your hands to the window", kitchen, paths, windows, delivered),
        _Pass("pass_onion", "bring an onion for the other room", kitchen, paths, shared, onion),
        _Pass("pass_tomato", "bring a tomato for the other room", kitchen, paths, shared, tomato),
        _Pass("pass_dish", "bring a dish for the other room", kitchen, paths, shared, dish),
        PutDown("hand_over", "leave what you hold for the other room", kitchen, paths, shared),
        TakeUp("take", "go and get the {}", kitchen, paths, counters),
        _Discard("discard", "get rid of what you hold on the nearest free counter", kitchen, paths, own),
    ]
    sources = (at_tile, deeds, errand, rooms, paths_module, wait_module)
    return Library(
        name="errands",
        version=1,
        digest=source_digest(__file__, *(str(source.__file__) for source in sources)),
        options=aimed(options),
    )


def _other(before: Facts, after: Facts, pot: int) -> bool:
    """Tell whether a pot holds other things, or has been emptied in between."""
    return after[pot] != before[pot] or after[pot + 1] < before[pot + 1]
