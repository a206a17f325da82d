"""The options of a kitchen, part by part, carried out on small kitchens."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from hocket.games.overcooked import at_tile as at_tile_module
from hocket.games.overcooked.at_tile import SLACK
from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO, pack
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.options import WAIT_TICKS, default_library
from hocket.games.overcooked.view import Viewer
from hocket.games.overcooked.world import Overcooked
from hocket.runtime.execution import Execution
from hocket.runtime.option import Failure, Instance, Option

NORTH, SOUTH, EAST, WEST = range(4)
Cook = tuple[int, int, int, int]
"""x, y, heading, held item."""
Cell = tuple[int, int]
Facts = tuple[int, ...]
Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]

ROOM = Layout(name="room", grid=("XPXOXXX", "X1   2T", "X     S", "X     X", "XXDXXXX"), cook_time=4)
"""Open floor, (1, 1) to (5, 3)."""
LANE = Layout(name="lane", grid=("XPXXXOX", "D1   2S", "XXXXXXX"), cook_time=4)
"""One row of floor, (1, 1) to (5, 1), in which cooks cannot pass each other."""
HALVES = Layout(name="halves", grid=("XPXOX", "X1X2S", "XXXDX"))
"""Two rooms of one cell each."""
THREE = SOUP + pack(["onion"] * 3)
ONIONS = [0, pack(["onion"]), pack(["onion"] * 2), pack(["onion"] * 3)]
"""Contents of a pot, by how many onions are in it."""


class Table:
    """A kitchen in one state, its options, and what cooks make of them."""

    def __init__(
        self,
        layout: Layout,
        *cooks: Cook,
        pots: Mapping[Cell, tuple[int, int]] | None = None,
        counters: Mapping[Cell, int] | None = None,
    ) -> None:
        self.world = Overcooked(layout)
        kitchen = self.kitchen = self.world.kitchen
        state = list(kitchen.tables.blank())
        for seat, (x, y, heading, held) in enumerate(cooks):
            state[1 + 3 * seat : 4 + 3 * seat] = [y * kitchen.width + x, heading, held]
        for (x, y), (contents, cooked) in (pots or {}).items():
            slot = kitchen.tables.slots[y * kitchen.width + x]
            state[slot : slot + 2] = [contents, cooked]
        for (x, y), item in (counters or {}).items():
            state[kitchen.tables.slots[y * kitchen.width + x]] = item
        kitchen.load(state)
        self.library = default_library(kitchen)
        self.execution = Execution(self.world)
        self.ended: dict[int, tuple[str, int]] = {}
        """Outcome and length of the option that ended last, by seat."""

    @property
    def facts(self) -> Facts:
        return self.execution.facts

    def entry(self, key: str, seat: int = 0) -> tuple[Option[Facts], Instance]:
        option = self.library.by_name[key.partition("@")[0]]
        return option, next(entry for entry in option.instances(self.facts, seat) if entry.key == key)

    def expand(self, key: str, seat: int = 0) -> Any:
        option, entry = self.entry(key, seat)
        return option.expand(entry, self.facts, seat)

    def start(self, *keys: str | None) -> "Table":
        """Begin an option a seat, None for a seat that stands still."""
        for seat, key in enumerate(keys):
            if key is not None:
                self.execution.start(seat, *self.entry(key, seat))
        return self

    def tick(self, ticks: int = 1) -> "Table":
        for _ in range(ticks):
            self.execution.step()
            for seat, run, outcome in self.execution.judge():
                self.ended[seat] = outcome, self.execution.now - run.started
        return self

    def play(self, *keys: str | None) -> dict[int, tuple[str, int]]:
        """Begin options and carry them all out."""
        self.start(*keys)
        while any(self.execution.runs):
            self.tick()
        return self.ended

    def put(self, seat: int, x: int, y: int) -> "Table":
        """Move a cook, as if it had walked."""
        self.kitchen.state[1 + 3 * seat] = y * self.kitchen.width + x
        return self._seen()

    def lay(self, x: int, y: int, item: int) -> "Table":
        """Change what lies on a counter, as if a partner had."""
        self.kitchen.state[self.kitchen.tables.slots[y * self.kitchen.width + x]] = item
        return self._seen()

    def _seen(self) -> "Table":
        self.execution.facts = self.kitchen.facts()
        return self

    def held(self, seat: int = 0) -> int:
        return self.facts[3 + 3 * seat]

    def at(self, x: int, y: int) -> int:
        """What lies on a counter, or is in a pot."""
        return self.facts[self.kitchen.tables.slots[y * self.kitchen.width + x]]


def targets(table: Table, name: str, seat: int = 0) -> set[Cell | None]:
    """Where an option may be aimed."""
    return {entry.target for entry in table.library.by_name[name].instances(table.facts, seat)}


def test_each_option_aims_at_every_tile_of_its_class_that_has_floor_beside_it() -> None:
    """Existence is all that counts: not what is held, nor what is in the pot, nor who stands where."""
    table = Table(HALVES, (1, 1, NORTH, DISH), (3, 1, NORTH, ONION), counters={(2, 1): ONION, (0, 0): DISH})

    found = {name: targets(table, name) for name in table.library.by_name}

    assert found == {
        "wait": {None},
        "pick_onion": {(3, 0)},
        "pick_dish": {(3, 2)},
        "place_in_pot": {(1, 0)},
        "start_cooking": {(1, 0)},
        "plate_soup": {(1, 0)},
        "deliver": {(4, 1)},
        "drop_held": {(0, 1), (1, 2), (2, 1)},
        "pick_up_from_counter": {(2, 1)},
    }
    assert found == {name: targets(table, name, 1) for name in table.library.by_name}


def test_the_menu_names_what_lies_on_the_counter() -> None:
    """Two counters are told apart by more than their places, and a soup is a soup."""
    table = Table(ROOM, (1, 1, NORTH, 0), (5, 1, NORTH, 0), counters={(0, 1): TOMATO, (0, 2): THREE})

    entries = table.library.by_name["pick_up_from_counter"].instances(table.facts, 0)

    assert [entry.words for entry in entries] == [
        "pick up the tomato from the counter @ (0, 1)",
        "pick up the soup from the counter @ (0, 2)",
    ]


CARRIED_OUT = {
    "pick_onion@3,0": [(0, True), (ONION, False), (TOMATO, False), (DISH, False), (THREE, False)],
    "pick_tomato@6,1": [(0, True), (ONION, False), (TOMATO, False), (DISH, False)],
    "pick_dish@2,4": [(0, True), (ONION, False), (DISH, False)],
    "place_in_pot@1,0": [(ONION, True), (TOMATO, True), (0, False), (DISH, False), (THREE, False)],
    "plate_soup@1,0": [(DISH, False), (0, False), (ONION, False), (THREE, False)],
    "deliver@6,2": [(THREE, True), (0, False), (ONION, False), (DISH, False)],
    "drop_held@0,2": [(ONION, True), (TOMATO, True), (DISH, True), (THREE, True)],
    "pick_up_from_counter@0,1": [(0, True), (ONION, False), (DISH, False)],
    "start_cooking@1,0": [(0, True), (DISH, False), (THREE, False)],
}


@pytest.mark.parametrize(
    ("key", "held", "done"), [(key, *case) for key, cases in CARRIED_OUT.items() for case in cases]
)
def test_an_effect_tells_whether_the_promise_was_kept(key: str, held: int, done: bool) -> None:
    """An option can be started where it makes no sense; it is then carried out in vain."""
    table = Table(
        ROOM, (2, 2, NORTH, held), (5, 3, NORTH, 0), pots={(1, 0): (ONIONS[2], -1)}, counters={(0, 1): TOMATO}
    )
    length = len(table.expand(key))

    ended = table.play(key, None)

    assert ended == {0: ("success" if done else "effect_fail", length)}


@pytest.mark.parametrize(
    ("contents", "cooked", "done"), [(3, 4, True), (3, 1, False), (3, -1, False), (1, 4, True), (0, -1, False)]
)
def test_only_a_soup_that_is_done_is_plated(contents: int, cooked: int, done: bool) -> None:
    """One onion makes a soup as well as three."""
    table = Table(ROOM, (1, 1, NORTH, DISH), (5, 3, NORTH, 0), pots={(1, 0): (ONIONS[contents], cooked)})

    ended = table.play("plate_soup@1,0", None)

    assert ended == {0: ("success" if done else "effect_fail", 1)}
    assert table.held() == (SOUP + ONIONS[contents] if done else DISH)


@pytest.mark.parametrize("pot", [(3, -1), (2, 0), (3, 4)])
def test_a_pot_that_takes_no_more_leaves_the_ingredient_in_the_hands(pot: tuple[int, int]) -> None:
    """Full, cooking, done."""
    table = Table(ROOM, (1, 1, NORTH, ONION), (5, 3, NORTH, 0), pots={(1, 0): (ONIONS[pot[0]], pot[1])})

    assert table.play("place_in_pot@1,0", None) == {0: ("effect_fail", 1)}
    assert table.held() == ONION


def test_a_counter_that_is_taken_leaves_the_item_in_the_hands() -> None:
    """Dropping there is possible and in vain."""
    table = Table(ROOM, (1, 2, WEST, ONION), (5, 3, NORTH, 0), counters={(0, 2): DISH})

    assert table.play("drop_held@0,2", None) == {0: ("effect_fail", 1)}
    assert (table.held(), table.at(0, 2)) == (ONION, DISH)


@pytest.mark.parametrize("item", [ONION, TOMATO])
def test_starting_to_cook_with_an_ingredient_in_hand_pots_it(item: int) -> None:
    """Executors know nothing of the game's laws: it is carried out, and it is no success."""
    table = Table(ROOM, (1, 1, NORTH, item), (5, 3, NORTH, 0), pots={(1, 0): (ONIONS[2], -1)})

    assert table.play("start_cooking@1,0", None) == {0: ("effect_fail", 1)}
    assert (table.held(), table.at(1, 0)) == (NOTHING, 3 * ONIONS[2] + item)


def test_a_pot_that_cooks_already_is_not_started() -> None:
    """The promise is a change, not a state."""
    table = Table(ROOM, (1, 1, NORTH, 0), (5, 3, NORTH, 0), pots={(1, 0): (ONIONS[3], 1)})

    assert table.play("start_cooking@1,0", None) == {0: ("effect_fail", 1)}


def test_waiting_takes_its_ticks() -> None:
    """It is always a success."""
    table = Table(ROOM, (1, 1, NORTH, 0), (5, 3, NORTH, 0))

    assert table.expand("wait") == (STAY,) * WAIT_TICKS
    assert table.play("wait", None) == {0: ("success", WAIT_TICKS)}


def test_there_is_no_path_to_another_room() -> None:
    """An explicit failure that costs one tick; it may pass, where it is only somebody in the way."""
    table = Table(HALVES, (1, 1, NORTH, 0), (3, 1, NORTH, 0))

    assert table.expand("pick_onion@3,0") == Failure("NoPath", passing=True)
    assert table.play("pick_onion@3,0", "place_in_pot@1,0") == {0: ("explicit:NoPath", 1), 1: ("explicit:NoPath", 1)}


def test_there_is_no_path_past_another_cook() -> None:
    """The plan goes around the cells where the others stand, and so not at all in a lane."""
    table = Table(LANE, (1, 1, NORTH, 0), (3, 1, NORTH, 0))

    assert table.expand("pick_onion@5,0") == Failure("NoPath", passing=True)
    assert table.expand("pick_dish@0,1") == (WEST, INTERACT)


def test_nothing_can_be_put_down_with_empty_hands() -> None:
    """It would pick something up instead; it fails before anything is done."""
    table = Table(ROOM, (1, 2, WEST, 0), (5, 3, NORTH, 0), counters={(0, 2): DISH})

    assert table.expand("drop_held@0,2") == Failure("NothingHeld")
    assert table.play("drop_held@0,2", None) == {0: ("explicit:NothingHeld", 1)}
    assert (table.held(), table.at(0, 2)) == (NOTHING, DISH)


def test_an_item_that_is_gone_cannot_be_picked_up() -> None:
    """As when a late answer comes to a menu of some ticks ago."""
    table = Table(ROOM, (1, 2, WEST, 0), (5, 3, NORTH, 0), counters={(0, 2): DISH})
    option, entry = table.entry("pick_up_from_counter@0,2")
    gone = Table(ROOM, (1, 2, WEST, 0), (5, 3, NORTH, 0))

    assert option.expand(entry, table.facts, 0) == (INTERACT,)
    assert option.expand(entry, gone.facts, 0) == Failure("TargetAbsent")


def test_an_item_that_vanishes_on_the_way_ends_the_option() -> None:
    """At once, and not where it lay: what ada holds is never put down there."""
    table = Table(ROOM, (5, 2, EAST, 0), (1, 3, NORTH, 0), counters={(0, 2): DISH})

    table.start("pick_up_from_counter@0,2", "pick_up_from_counter@0,2").tick(3)
    table.tick(2)

    assert table.ended == {1: ("success", 3), 0: ("explicit:TargetAbsent", 4)}
    assert (table.held(0), table.held(1)) == (NOTHING, DISH)


def test_a_plan_is_made_anew_around_a_partner() -> None:
    """Bo steps into the row in which ada walks; she goes around him, and it is no failure."""
    table = Table(ROOM, (1, 2, EAST, THREE), (3, 1, NORTH, 0))
    first = len(table.expand("deliver@6,2"))

    table.start("deliver@6,2", None).tick()
    table.put(1, 3, 2)
    while any(table.execution.runs):
        table.tick()

    assert first == 5
    assert table.ended == {0: ("success", first + 2)}


def test_who_is_blocked_stands_still_and_goes_on() -> None:
    """In a lane nobody can be passed: ada waits until bo is gone, and delivers."""
    table = Table(LANE, (2, 1, EAST, THREE), (4, 1, NORTH, 0))
    joint = []
    table.put(1, 1, 1).start("deliver@6,1", None)

    for tick in range(6):
        table.put(1, *{1: (4, 1), 3: (1, 1)}.get(tick, table.kitchen.tables.grid.place(table.facts[4])))
        table.tick()
        joint.append(table.execution.joint[0])

    assert joint == [EAST, STAY, STAY, EAST, EAST, INTERACT]
    assert table.ended == {0: ("success", 6)}


def test_an_option_that_stays_blocked_times_out_after_its_slack() -> None:
    """Bo stands before the pot from the second tick on; ada can then choose otherwise."""
    table = Table(LANE, (4, 1, WEST, ONION), (5, 1, NORTH, 0))
    first = len(table.expand("place_in_pot@1,0"))

    table.start("place_in_pot@1,0", None).tick()
    table.put(1, 1, 1).tick(first + SLACK)

    assert first == 5
    assert table.ended == {0: ("timeout", first + SLACK)}
    assert table.held() == ONION


def test_an_option_may_lose_its_slack_and_no_more() -> None:
    """Bo is gone in time for the last action, or one tick too late."""
    outcomes = []
    for blocked in (SLACK, SLACK + 1):
        table = Table(LANE, (4, 1, WEST, ONION), (5, 1, NORTH, 0)).start("place_in_pot@1,0", None).tick()
        outcomes.append(table.put(1, 1, 1).tick(blocked).put(1, 5, 1).tick(4).ended)

    assert outcomes == [{0: ("success", 5 + SLACK)}, {0: ("timeout", 5 + SLACK)}]


def test_a_partners_onion_in_the_same_pot_is_not_ones_own() -> None:
    """There is room for one; bo's comes first, and ada has hers still."""
    table = Table(ROOM, (2, 2, NORTH, ONION), (1, 1, NORTH, ONION), pots={(1, 0): (ONIONS[2], -1)})
    option, entry = table.entry("place_in_pot@1,0")
    before = table.facts

    table.start(None, "place_in_pot@1,0").tick()

    assert table.ended == {1: ("success", 1)}
    assert option.effect(entry, before, table.facts, 1)
    assert not option.effect(entry, before, table.facts, 0)


def test_two_onions_in_one_tick_are_judged_one_by_one() -> None:
    """Two places: both succeed. One place: that of the lower seat does."""
    outcomes = []
    for contents in (1, 2):
        layout = Layout(name="between", grid=("XXXXX", "X1P2S", "XOXDX"))
        table = Table(layout, (1, 1, EAST, ONION), (3, 1, WEST, ONION), pots={(2, 1): (ONIONS[contents], -1)})
        outcomes.append(table.play("place_in_pot@2,1", "place_in_pot@2,1"))

    assert outcomes == [
        {0: ("success", 1), 1: ("success", 1)},
        {0: ("success", 1), 1: ("effect_fail", 1)},
    ]


PARTNERS = {
    "pick_onion@3,0": (0, "pick_onion@3,0", 0),
    "pick_dish@2,4": (0, "pick_dish@2,4", 0),
    "pick_tomato@6,1": (0, "pick_tomato@6,1", 0),
    "place_in_pot@1,0": (ONION, "place_in_pot@1,0", ONION),
    "plate_soup@5,0": (DISH, "plate_soup@5,0", DISH),
    "deliver@6,2": (THREE, "deliver@6,2", THREE),
    "drop_held@0,2": (DISH, "drop_held@0,2", DISH),
    "pick_up_from_counter@0,1": (0, "pick_up_from_counter@0,1", 0),
}


@pytest.mark.parametrize("key", PARTNERS)
def test_a_partners_deed_is_never_taken_for_ones_own(key: str) -> None:
    """Bo does with his hands what ada has promised to do with hers."""
    held, deed, partner = PARTNERS[key]
    layout = Layout(name="room", grid=("XPXOXPX", "X1   2T", "X     S", "X     X", "XXDXXXX"), cook_time=4)
    table = Table(
        layout,
        (3, 2, NORTH, held),
        (2, 2, NORTH, partner),
        pots={(5, 0): (ONIONS[3], 4)},
        counters={(0, 1): TOMATO},
    )
    option, entry = table.entry(key)
    before = table.facts

    ended = table.play(None, deed)

    assert ended[1][0] == "success"
    assert option.effect(entry, before, table.facts, 1) is True
    assert option.effect(entry, before, table.facts, 0) is False


BETWEEN = Layout(name="between", grid=("XXPXX", "X1X2S", "XOXDX", "XXXXX"))
"""A counter at (2, 1) between two cooks."""


@pytest.mark.parametrize(
    ("lies", "ada", "bo", "outcomes", "left"),
    [
        # Ada, who acts first, takes the onion and bo puts his dish where it lay.
        (ONION, (0, "pick_up_from_counter"), (DISH, "drop_held"), ("success", "success"), (ONION, 0, DISH)),
        # The other way round the counter is not free yet when ada comes to it.
        (ONION, (DISH, "drop_held"), (0, "pick_up_from_counter"), ("effect_fail", "success"), (DISH, ONION, 0)),
        # Both want the one onion.
        (ONION, (0, "pick_up_from_counter"), (0, "pick_up_from_counter"), ("success", "effect_fail"), (ONION, 0, 0)),
        # Both put something down; there is room for one.
        (0, (ONION, "drop_held"), (DISH, "drop_held"), ("success", "effect_fail"), (0, DISH, ONION)),
    ],
)
def test_a_hand_over_in_one_tick_is_judged_by_each_ones_hands(
    lies: int, ada: tuple[int, str], bo: tuple[int, str], outcomes: tuple[str, str], left: tuple[int, int, int]
) -> None:
    """Interacts are carried out first seat first, and nobody's success is another's."""
    table = Table(BETWEEN, (1, 1, EAST, ada[0]), (3, 1, WEST, bo[0]), counters={(2, 1): lies})

    ended = table.play(f"{ada[1]}@2,1", f"{bo[1]}@2,1")

    assert (ended[0], ended[1]) == ((outcomes[0], 1), (outcomes[1], 1))
    assert (table.held(0), table.held(1), table.at(2, 1)) == left


def test_what_is_put_down_and_taken_in_one_tick_was_not_what_the_menu_named() -> None:
    """Ada puts a dish down as bo reaches for the onion that lay there when he began: he has a dish."""
    table = Table(BETWEEN, (1, 1, EAST, DISH), (3, 1, NORTH, 0), counters={(2, 1): ONION})
    table.start(None, "pick_up_from_counter@2,1").tick()
    table.kitchen.state[table.kitchen.tables.slots[5 + 2]] = NOTHING

    table.start("drop_held@2,1", None).tick()

    assert table.held(1) == DISH
    assert table.ended == {0: ("success", 1), 1: ("effect_fail", 2)}


def test_an_item_that_is_swapped_on_the_way_is_no_success() -> None:
    """Bo set out for an onion and comes back with a dish: something lay there all the time, but not that."""
    table = Table(ROOM, (5, 3, NORTH, 0), (4, 2, WEST, 0), counters={(0, 2): ONION})
    length = len(table.expand("pick_up_from_counter@0,2", 1))

    table.start(None, "pick_up_from_counter@0,2").tick()
    table.lay(0, 2, DISH).tick(length)

    assert table.ended == {1: ("effect_fail", length)}
    assert table.held(1) == DISH


SHARED = Layout(name="shared", grid=("XXXXXX", "X1 P2S", "XOXXDX", "XXXXXX"), cook_time=4)
"""A pot at (3, 1) that two cooks reach from two sides."""


def test_cooking_is_the_one_effect_that_a_partner_can_bring_about() -> None:
    """Nothing in the facts tells who started a pot: ada comes too late and has her success, so it is not `private`."""
    table = Table(SHARED, (1, 1, EAST, 0), (4, 1, WEST, 0), pots={(3, 1): (ONIONS[1], -1)})

    ended = table.play("start_cooking@3,1", "start_cooking@3,1")

    assert ended == {1: ("success", 1), 0: ("success", 2)}
    assert [option.name for option in table.library.options if not option.private] == ["start_cooking"]


def test_a_pot_that_was_started_before_is_nobodys_success() -> None:
    """The change has to come about while the option runs."""
    table = Table(SHARED, (1, 1, EAST, 0), (4, 1, WEST, 0), pots={(3, 1): (ONIONS[1], -1)})

    table.start(None, "start_cooking@3,1").tick()
    ended = table.play("start_cooking@3,1", None)

    assert ended == {1: ("success", 1), 0: ("effect_fail", 2)}


@pytest.mark.parametrize("name", ["cramped_room_tomato", "counter_circuit", "bottleneck"])
def test_features_say_what_a_cook_would_see(name: str, varied: Varied) -> None:
    """In random states: what is held, the pot's state, what lies on the counter, as the view has it."""
    kitchen, dice = Kitchen(load_layout(name)), random.Random(7)
    library, viewer = default_library(kitchen), Viewer(kitchen)
    seen = set()

    for _ in range(60):
        facts = varied(kitchen, dice)
        seat = dice.randrange(kitchen.players)
        view = viewer.view(facts, seat)
        pots, lying = {pot.at: pot.state for pot in view.pots}, dict(view.counters)
        for option in library.options[1:]:
            for entry in option.instances(facts, seat):
                codes = option.read(entry, facts, seat)
                told = {feature.name: feature.values[code] for feature, code in zip(option.reads, codes, strict=True)}
                expected = {"held": view.me.held.partition(":")[0]}
                assert entry.target is not None
                if entry.target in pots:
                    expected["tgt_pot_state"] = pots[entry.target]
                elif kitchen.layout.grid[entry.target[1]][entry.target[0]] == "X":
                    expected["tgt_item"] = lying.get(entry.target, "nothing").partition(":")[0]
                assert told == expected
                seen |= set(told.items())

    assert {value for feature, value in seen if feature == "tgt_pot_state"} == set(at_tile_module.POT_STATE.values)
    assert {value for feature, value in seen if feature == "tgt_item"} == set(at_tile_module.ITEM.values)
    assert {value for feature, value in seen if feature == "held"} == set(at_tile_module.HELD.values)


@pytest.mark.parametrize("name", ["cramped_room", "coordination_ring", "multiplayer_schelling"])
def test_a_partner_is_near_beside_the_cook_or_the_target(name: str, varied: Varied) -> None:
    """One step away, not on the diagonal; it passes, and so no guard may read it."""
    kitchen, dice = Kitchen(load_layout(name)), random.Random(7)
    library, viewer = default_library(kitchen), Viewer(kitchen)
    seen = set()

    for _ in range(40):
        facts = varied(kitchen, dice)
        seat = dice.randrange(kitchen.players)
        view = viewer.view(facts, seat)
        for option in library.options[1:]:
            assert [feature.name for feature in option.senses] == ["partner_near"]
            assert not set(option.senses) & set(option.reads)
            for entry in option.instances(facts, seat):
                assert entry.target is not None
                near = any(
                    abs(x - other.place[0]) + abs(y - other.place[1]) == 1
                    for other in view.others
                    for x, y in (view.me.place, entry.target)
                )
                assert option.sense(entry, facts, seat) == (near,)
                seen.add(near)

    assert seen == {True, False}


POTS: Sequence[tuple[int, int, str]] = [
    (0, -1, "empty"),
    (1, -1, "filling"),
    (2, -1, "filling"),
    (3, -1, "full"),
    (1, 0, "cooking"),
    (3, 3, "cooking"),
    (1, 4, "ready"),
    (3, 4, "ready"),
]


@pytest.mark.parametrize(("onions", "cooked", "state"), POTS)
def test_a_pot_is_in_one_of_five_states(onions: int, cooked: int, state: str) -> None:
    """A full pot cooks only once it is started; one that was started early is never full."""
    table = Table(ROOM, (1, 1, NORTH, ONION), (5, 3, NORTH, 0), pots={(1, 0): (ONIONS[onions], cooked)})

    for name in ("place_in_pot", "start_cooking", "plate_soup"):
        option, entry = table.entry(f"{name}@1,0")
        held, pot = option.read(entry, table.facts, 0)
        assert (option.reads[0].values[held], option.reads[1].values[pot]) == ("onion", state)


def test_what_is_told_apart_is_what_guards_need() -> None:
    """Dispensers and windows have no state of their own, and waiting reads nothing."""
    table = Table(ROOM, (1, 1, NORTH, 0), (5, 3, NORTH, 0))

    reads = {option.name: tuple(feature.name for feature in option.reads) for option in table.library.options}

    assert reads == {
        "wait": (),
        **dict.fromkeys(("pick_onion", "pick_tomato", "pick_dish", "deliver"), ("held",)),
        **dict.fromkeys(("place_in_pot", "start_cooking", "plate_soup"), ("held", "tgt_pot_state")),
        **dict.fromkeys(("drop_held", "pick_up_from_counter"), ("held", "tgt_item")),
    }


@pytest.mark.parametrize("name", layout_names())
def test_a_library_holds_what_can_be_aimed_at_in_its_kitchen(name: str) -> None:
    """Picking a tomato is an option only where tomatoes are dispensed."""
    kitchen = Kitchen(load_layout(name))
    tiles = dict(zip(("pick_onion", "pick_tomato", "pick_dish", "deliver"), "OTDS", strict=True))
    names = ["wait", *(key.partition("@")[0] for key in CARRIED_OUT)]

    library = default_library(kitchen)

    assert set(library.by_name) == {each for each in names if each not in tiles or kitchen.tiles(tiles[each])}


def test_tables_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of a long burn-in meet others everywhere; what was forgotten is made again alike."""
    monkeypatch.setattr(at_tile_module, "_KEPT", 3)
    table = Table(ROOM, (1, 1, NORTH, 0), (5, 3, NORTH, 0))
    option, entry = table.entry("pick_onion@3,0")
    states = [(*table.facts[:4], cell, *table.facts[5:]) for cell in table.kitchen.floor]

    before = [option.expand(entry, facts, 0) for facts in states]
    again = [option.expand(entry, facts, 0) for facts in states]

    assert before == again
    assert len(option._tables) <= 3  # type: ignore[attr-defined]
