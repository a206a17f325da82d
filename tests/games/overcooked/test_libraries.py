"""The libraries beside the default one, part by part, and that all are sound."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hocket.games import registry
from hocket.games.overcooked.errand import ERRAND_SLACK
from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO, pack
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.world import LIBRARIES, Overcooked
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import Log
from hocket.learners.defects import diagnose
from hocket.learners.guards import synthesize
from hocket.learners.verify import verify
from hocket.runtime.execution import Execution
from hocket.runtime.guard import GuardSet
from hocket.runtime.option import Failure, Instance, Option

NORTH, SOUTH, EAST, WEST = range(4)
Cook = tuple[int, int, int, int]
"""x, y, heading, held item."""
Cell = tuple[int, int]
Facts = tuple[int, ...]
Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]

ROOM = Layout(name="room", grid=("XPXOXXX", "X1   2T", "X     S", "X     X", "XXDXXXX"), cook_time=4)
"""Open floor, (1, 1) to (5, 3)."""
HALVES = Layout(name="halves", grid=("XPXOX", "X1X2S", "XXXDX"), cook_time=4)
"""Two rooms of one cell each, a counter at (2, 1) between them; the pot in one, all else in the other."""
THREE = SOUP + pack(["onion"] * 3)
ONIONS = [0, pack(["onion"]), pack(["onion"] * 2), pack(["onion"] * 3)]
"""Contents of a pot, by how many onions are in it."""
OTHERS = ("stations", "errands")
SOUND_ON = ("asymmetric_advantages", "forced_coordination", "cramped_room")
BO: Cook = (5, 3, NORTH, 0)


class Table:
    """A kitchen in one state, one of its libraries, and what cooks make of it."""

    def __init__(
        self,
        library: str,
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
        self.library = LIBRARIES[library](kitchen)
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

    def change(self, x: int, y: int, *values: int) -> "Table":
        """Change a pot or a counter, as if a partner had."""
        slot = self.kitchen.tables.slots[y * self.kitchen.width + x]
        self.kitchen.state[slot : slot + len(values)] = values
        self.execution.facts = self.kitchen.facts()
        return self

    def put(self, seat: int, x: int, y: int) -> "Table":
        """Move a cook, as if it had walked."""
        self.kitchen.state[1 + 3 * seat] = y * self.kitchen.width + x
        self.execution.facts = self.kitchen.facts()
        return self

    def held(self, seat: int = 0) -> int:
        return self.facts[3 + 3 * seat]

    def at(self, x: int, y: int) -> int:
        """What lies on a counter, or is in a pot."""
        return self.facts[self.kitchen.tables.slots[y * self.kitchen.width + x]]


def targets(table: Table) -> dict[str, set[Cell | None]]:
    """Where each option may be aimed."""
    return {
        option.name: {entry.target for entry in option.instances(table.facts, 0)} for option in table.library.options
    }


def test_stations_are_few_places() -> None:
    """All dispensers are one class; of the counters in one room those near the pot, while all are cleared."""
    table = Table("stations", ROOM, (1, 1, NORTH, 0), BO, counters={(5, 4): DISH})

    assert targets(table) == {
        "wait": {None},
        "fetch": {(3, 0), (6, 1), (2, 4)},
        **{name: {(1, 0)} for name in ("fill", "cook", "stand_by", "dish_up")},
        "serve": {(6, 2)},
        "set_down": {(2, 0), (0, 1), (0, 2), (4, 0)},
        "take_up": {(5, 4)},
    }


def test_errands_are_jobs() -> None:
    """In one room nothing is handed over, and what is got rid of has no place of its own."""
    table = Table("errands", ROOM, (1, 1, NORTH, 0), BO, counters={(5, 4): DISH})

    assert targets(table) == {
        "wait": {None},
        **{name: {(1, 0)} for name in ("load_onion", "load_tomato", "start_cooking", "serve_soup")},
        "bring_to_window": {(6, 2)},
        "take": {(5, 4)},
        "discard": {None},
    }


def test_between_two_rooms_things_are_handed_over() -> None:
    """Stations set down there; errands bring there what the other room lacks, and plate for its window."""
    stations = targets(Table("stations", HALVES, (1, 1, NORTH, 0), (3, 1, NORTH, 0)))
    errands = targets(Table("errands", HALVES, (1, 1, NORTH, 0), (3, 1, NORTH, 0)))

    assert stations["set_down"] == {(2, 1), (0, 1), (1, 2)}
    assert errands["pass_onion"] == errands["pass_dish"] == errands["hand_over"] == {(2, 1)}
    assert errands["plate_for_partner"] == {(1, 0)}
    assert "pass_tomato" not in errands


def test_menus_say_what_is_meant() -> None:
    """Each library in words of its own, and a dispenser by what it gives."""
    facing = {}
    for library in LIBRARIES:
        table = Table(library, ROOM, (1, 1, NORTH, 0), BO, counters={(5, 4): DISH})
        facing[library] = [e.words for o in table.library.options for e in o.instances(table.facts, 0)]

    assert {"fetch a dish @ (2, 4)", "take up the dish that lies on the counter @ (5, 4)"} < set(facing["stations"])
    assert {"bring a tomato to the pot @ (1, 0)", "go and get the dish @ (5, 4)"} < set(facing["errands"])
    assert len({*facing["default"], *facing["stations"], *facing["errands"]}) == sum(map(len, facing.values()))


CARRIED_OUT = {
    ("stations", "fetch@3,0"): [(0, True), (ONION, False), (TOMATO, False), (DISH, False), (THREE, False)],
    ("stations", "fetch@2,4"): [(0, True), (ONION, False), (DISH, False)],
    ("stations", "fill@1,0"): [(ONION, True), (TOMATO, True), (0, False), (DISH, False), (THREE, False)],
    ("stations", "cook@1,0"): [(0, True), (ONION, False), (DISH, False), (THREE, False)],
    ("stations", "stand_by@1,0"): [(0, True), (ONION, True), (THREE, True)],
    ("stations", "dish_up@1,0"): [(DISH, False), (0, False), (ONION, False)],
    ("stations", "serve@6,2"): [(THREE, True), (0, False), (ONION, False), (DISH, False)],
    ("stations", "set_down@0,2"): [(ONION, True), (DISH, True), (THREE, True)],
    ("stations", "take_up@0,1"): [(0, True), (ONION, False), (DISH, False)],
    ("errands", "load_onion@1,0"): [(0, True), (ONION, True), (TOMATO, False), (DISH, False), (THREE, False)],
    ("errands", "load_tomato@1,0"): [(0, True), (TOMATO, True), (ONION, False), (DISH, False)],
    ("errands", "start_cooking@1,0"): [(0, True), (ONION, False), (DISH, False)],
    ("errands", "serve_soup@1,0"): [(0, False), (ONION, False), (DISH, False), (THREE, False)],
    ("errands", "bring_to_window@6,2"): [(THREE, True), (0, False), (ONION, False), (DISH, False)],
    ("errands", "take@0,1"): [(0, True), (ONION, False), (DISH, False)],
    ("errands", "discard"): [(ONION, True), (DISH, True), (THREE, True)],
}


@pytest.mark.parametrize(
    ("library", "key", "held", "done"), [(*key, *case) for key, cases in CARRIED_OUT.items() for case in cases]
)
def test_an_effect_tells_whether_the_promise_was_kept(library: str, key: str, held: int, done: bool) -> None:
    """With nobody in the way a plan takes as long as it says, sensible or not, and is then over."""
    table = Table(library, ROOM, (2, 2, NORTH, held), BO, pots={(1, 0): (ONIONS[2], -1)}, counters={(0, 1): TOMATO})
    length = len(table.expand(key))

    ended = table.play(key, None)

    assert ended == {0: ("success" if done else "effect_fail", length)}


def test_each_waits_in_its_own_measure() -> None:
    """It is always possible."""
    lengths = {name: len(Table(name, ROOM, (1, 1, NORTH, 0), BO).expand("wait")) for name in LIBRARIES}

    assert lengths == {"default": 3, "stations": 1, "errands": 4}


def test_who_stands_by_touches_nothing() -> None:
    """What is held stays in the hands; to stand by where one stands by already is a tick for nothing."""
    table = Table("stations", ROOM, (2, 2, NORTH, ONION), BO)

    assert table.play("stand_by@1,0", None) == {0: ("success", 2)}
    assert (table.held(), table.at(1, 0)) == (ONION, 0)
    option, entry = table.entry("stand_by@1,0")
    assert [option.reads[0].name, option.reads[0].own, option.read(entry, table.facts, 0)] == ["faces_tgt", True, (1,)]
    assert table.expand("stand_by@1,0") == (STAY,)
    assert table.play("stand_by@1,0", None) == {0: ("effect_fail", 1)}


def test_loading_is_one_plan_from_dispenser_to_pot() -> None:
    """As long as the two ways together, and made anew from what is held alone."""
    table = Table("errands", ROOM, (3, 1, EAST, 0), BO)

    assert table.expand("load_onion@1,0") == (NORTH, INTERACT, WEST, WEST, NORTH, INTERACT)
    table.start("load_onion@1,0", None).tick(2)
    assert (table.held(), table.expand("load_onion@1,0")) == (ONION, (WEST, WEST, NORTH, INTERACT))
    table.tick(4)
    assert table.ended == {0: ("success", 6)}
    assert (table.held(), table.at(1, 0)) == (NOTHING, ONIONS[1])


def test_the_nearest_dispenser_is_one_that_can_be_reached() -> None:
    """The onions behind the wall are nearer and of no use."""
    wall = Layout(name="wall", grid=("XXOXXPXXX", "D1 X2   S", "XXXXXXXOX"))
    table = Table("errands", wall, (1, 1, EAST, 0), (4, 1, EAST, 0))
    plan = (EAST, EAST, EAST, SOUTH, INTERACT, WEST, WEST, NORTH, INTERACT)

    assert table.expand("load_onion@5,0", 1) == plan
    assert table.play(None, "load_onion@5,0") == {1: ("success", len(plan))}


def test_serving_goes_from_dish_to_pot_to_window() -> None:
    """One option from empty hands to a delivery; what is held tells how far it has come."""
    table = Table("errands", ROOM, (2, 3, EAST, 0), BO, pots={(1, 0): (ONIONS[3], 4)})
    plan = table.expand("serve_soup@1,0")
    held = []

    table.start("serve_soup@1,0", None)
    while any(table.execution.runs):
        held.append(table.tick().held())

    assert plan[:6] == (SOUTH, INTERACT, WEST, NORTH, NORTH, INTERACT)
    assert (len(plan), plan[-1]) == (12, INTERACT)
    assert table.ended == {0: ("success", 12)}
    assert held == [NOTHING] + [DISH] * 4 + [THREE] * 6 + [NOTHING]
    assert sum(table.execution.rewards) > 0


@pytest.mark.parametrize(("cooked", "done"), [(0, True), (-1, False)])
def test_serving_ends_at_a_pot_that_has_nothing_to_give(cooked: int, done: bool) -> None:
    """A pot that is done by the time the cook is there is as good as one that is done."""
    table = Table("errands", ROOM, (4, 3, NORTH, DISH), BO, pots={(1, 0): (ONIONS[3], cooked)})
    to_pot = 6

    plan = table.expand("serve_soup@1,0")

    assert len(plan) == to_pot + 6 * done
    assert table.play("serve_soup@1,0", None) == {0: ("success" if done else "effect_fail", len(plan))}
    assert table.held() == (NOTHING if done else DISH)


@pytest.mark.parametrize("way", [3, 4, 5, 6, 7])
def test_when_a_pot_will_be_done_is_known_to_the_tick(way: int) -> None:
    """Too early by one tick is in vain, and no sooner is the plan the longer one."""
    start = {3: (2, 1), 4: (3, 1), 5: (4, 1), 6: (5, 1), 7: (5, 2)}[way]
    table = Table("errands", ROOM, (*start, EAST, DISH), BO, pots={(1, 0): (ONIONS[3], 0)})
    early = way - 1 < 4

    assert (len(table.expand("serve_soup@1,0")) == way) == early
    assert table.play("serve_soup@1,0", None)[0][0] == ("effect_fail" if early else "success")


def test_a_soup_in_hand_is_no_soup_of_the_pot() -> None:
    """It is carried to the window all the same, which another option promises."""
    table = Table("errands", ROOM, (5, 2, EAST, THREE), BO, pots={(1, 0): (ONIONS[3], 4)})

    assert table.play("serve_soup@1,0", None) == {0: ("effect_fail", 1)}
    assert table.held() == NOTHING


def test_what_the_other_room_needs_is_fetched_and_left_between() -> None:
    """An onion, a dish; by one who may hold it already. A counter that is taken leaves it in the hands."""
    outcomes = {}
    for lies, held, key in (
        (0, 0, "pass_onion"),
        (0, 0, "pass_dish"),
        (0, ONION, "pass_onion"),
        (0, DISH, "pass_onion"),
        (DISH, 0, "pass_onion"),
    ):
        table = Table("errands", HALVES, (1, 1, NORTH, 0), (3, 1, NORTH, held), counters={(2, 1): lies})
        ended = table.play(None, f"{key}@2,1")[1][0]
        outcomes[lies, held, key] = ended, table.at(2, 1), table.held(1)

    assert outcomes == {
        (0, 0, "pass_onion"): ("success", ONION, NOTHING),
        (0, 0, "pass_dish"): ("success", DISH, NOTHING),
        (0, ONION, "pass_onion"): ("success", ONION, NOTHING),
        (0, DISH, "pass_onion"): ("effect_fail", DISH, NOTHING),
        (DISH, 0, "pass_onion"): ("effect_fail", DISH, ONION),
    }


def test_a_soup_goes_from_one_room_to_the_other() -> None:
    """Ada plates and hands over, bo takes and delivers."""
    table = Table("errands", HALVES, (1, 1, NORTH, DISH), (3, 1, WEST, 0), pots={(1, 0): (ONIONS[3], 4)})
    outcomes = []

    for keys in (
        ("plate_for_partner@1,0", None),
        ("hand_over@2,1", None),
        (None, "take@2,1"),
        (None, "bring_to_window@4,1"),
    ):
        outcomes += [outcome for outcome, _ in table.play(*keys).values()]
        table.ended.clear()

    assert outcomes == ["success"] * 4
    assert table.held(0) == table.held(1) == NOTHING


def test_what_is_got_rid_of_goes_to_the_nearest_free_counter() -> None:
    """And to the next where somebody else was quicker; with none free, or nothing in hand, it says so."""
    table = Table("errands", ROOM, (1, 2, EAST, ONION), BO)
    assert table.expand("discard") == (WEST, INTERACT)
    table.start("discard", None).tick().change(0, 2, DISH).tick(10)
    assert table.ended[0][0] == "success"
    assert (table.held(), table.at(0, 2)) == (NOTHING, DISH)
    assert table.expand("discard") == Failure("NothingHeld")

    full = Table(
        "errands", HALVES, (1, 1, NORTH, ONION), (3, 1, NORTH, DISH), counters={(0, 1): DISH, (1, 2): DISH, (2, 1): 0}
    )
    assert full.expand("discard") == Failure("TargetAbsent")


def test_failures_are_those_of_expansion() -> None:
    """No path, nothing held, no target; nothing about the game's laws."""
    stations = Table("stations", HALVES, (1, 1, NORTH, 0), (3, 1, NORTH, 0), counters={(2, 1): DISH})
    errands = Table("errands", HALVES, (1, 1, NORTH, 0), (3, 1, NORTH, 0), counters={(2, 1): DISH})

    for table, key in ((stations, "fetch@3,0"), (errands, "load_onion@1,0"), (errands, "serve_soup@1,0")):
        assert table.expand(key) == Failure("NoPath", passing=True)
    assert stations.expand("stand_by@1,0", 1) == Failure("NoPath", passing=True)
    for table, key in ((stations, "set_down@0,1"), (errands, "hand_over@2,1")):
        assert table.expand(key) == Failure("NothingHeld")
    for table, name in ((stations, "take_up@2,1"), (errands, "take@2,1")):
        option, entry = table.entry(name)
        assert option.expand(entry, table.change(2, 1, NOTHING).facts, 0) == Failure("TargetAbsent")


def test_an_errand_waits_for_who_is_in_its_way_and_no_longer_than_its_slack() -> None:
    """Bo is asked about for the first stage alone; then he stands before the pot."""
    lane = Layout(name="lane", grid=("XPXXXOX", "D1   2S", "XXXXXXX"), cook_time=4)
    table = Table("errands", lane, (5, 1, EAST, 0), (3, 1, NORTH, 0))
    length = len(table.expand("load_onion@1,0"))

    table.start("load_onion@1,0", None).tick(2)
    table.put(1, 1, 1).tick(length + ERRAND_SLACK)

    assert length == 8
    assert table.ended == {0: ("timeout", length + ERRAND_SLACK)}
    assert table.held() == ONION


PARTNERS = {
    ("stations", "fetch@3,0"): (0, 0),
    ("stations", "fill@1,0"): (ONION, ONION),
    ("stations", "stand_by@1,0"): (0, 0),
    ("stations", "dish_up@5,0"): (DISH, DISH),
    ("stations", "serve@6,2"): (THREE, THREE),
    ("stations", "set_down@0,2"): (DISH, DISH),
    ("stations", "take_up@0,1"): (0, 0),
    ("errands", "load_onion@1,0"): (0, 0),
    ("errands", "serve_soup@5,0"): (0, 0),
    ("errands", "bring_to_window@6,2"): (THREE, THREE),
    ("errands", "discard"): (DISH, DISH),
}


@pytest.mark.parametrize(("library", "key"), PARTNERS)
def test_a_partners_deed_is_never_taken_for_ones_own(library: str, key: str) -> None:
    """Bo does what ada has promised; not even for errands, which bind it to the place where it ends."""
    layout = Layout(name="room", grid=("XPXOXPX", "X1   2T", "X     S", "X     X", "XXDXXXX"), cook_time=4)
    held, partner = PARTNERS[library, key]
    table = Table(
        library,
        layout,
        (3, 2, NORTH, held),
        (2, 2, NORTH, partner),
        pots={(5, 0): (ONIONS[3], 4)},
        counters={(0, 1): TOMATO},
    )
    option, entry = table.entry(key)
    before = table.facts

    ended = table.play(None, key)

    assert ended[1][0] == "success"
    assert option.effect(entry, before, table.facts, 1) is True
    assert option.effect(entry, before, table.facts, 0) is False


def test_what_has_no_private_part_says_so() -> None:
    """The guards of these are mined from solo records alone."""
    shared = {
        name: [option.name for option in LIBRARIES[name](Kitchen(HALVES)).options if not option.private]
        for name in LIBRARIES
    }

    assert shared == {
        "default": ["start_cooking"],
        "stations": ["cook"],
        "errands": ["load_onion", "start_cooking", "serve_soup", "pass_onion", "pass_dish"],
    }


@pytest.mark.parametrize("layout", layout_names())
@pytest.mark.parametrize("library", OTHERS)
def test_the_contract_of_a_library_holds_in_every_kitchen(library: str, layout: str, varied: Varied) -> None:
    """Typed failures or plans, features within bounds, nothing of nothing, no class without a target."""
    kitchen, dice = Kitchen(load_layout(layout)), random.Random(5)
    options = LIBRARIES[library](kitchen).options
    fixed = [tuple(option.instances((), 0)) for option in options if option.fixed]
    assert all(fixed)

    for _ in range(6):
        facts = varied(kitchen, dice)
        for seat in range(kitchen.players):
            assert fixed == [tuple(option.instances(facts, seat)) for option in options if option.fixed]
            for option in options:
                for entry in option.instances(facts, seat):
                    plan = option.expand(entry, facts, seat)
                    assert plan
                    assert not isinstance(plan, Failure) or plan.reason in {"NoPath", "NothingHeld", "TargetAbsent"}
                    assert option.effect(entry, facts, facts, seat) is (option.name == "wait")
                    for features, codes in (
                        (option.reads, option.read(entry, facts, seat)),
                        (option.senses, option.sense(entry, facts, seat)),
                    ):
                        bounds = zip(features, codes, strict=True)
                        assert all(type(code) is int and 0 <= code < len(each.values) for each, code in bounds)


def test_menus_differ_in_more_than_names(varied: Varied) -> None:
    """In how many things are on offer in a state, and in how long they take."""
    kitchen, dice = Kitchen(load_layout("asymmetric_advantages")), random.Random(5)
    states = [varied(kitchen, dice) for _ in range(60)]
    size, length = {}, {}
    for name, build in LIBRARIES.items():
        options = build(kitchen).options
        plans = [
            option.expand(e, facts, 0) for facts in states for option in options for e in option.instances(facts, 0)
        ]
        lengths = [len(plan) for plan in plans if not isinstance(plan, Failure)]
        size[name], length[name] = len(plans) / len(states), sum(lengths) / len(lengths)

    assert size["errands"] * 1.5 < size["stations"] < size["default"] - 1
    assert length["errands"] > 1.2 * length["default"]
    assert length["stations"] < length["default"]


def logged(path: Path, layout: str, library: str, seed: int, episodes: int) -> Log:
    """A small burn-in."""
    game = registry.make(f"overcooked:{layout}")
    plan = manifest(
        game,
        registry.library(game, library),
        seed=seed,
        solo=episodes,
        team=episodes,
        steps=150,
        starts="varied",
        policy="uniform",
    )
    log = Log.begin(path, plan)
    burn_in(log)
    return log


@pytest.mark.parametrize("layout", SOUND_ON)
@pytest.mark.parametrize("library", OTHERS)
def test_a_library_looks_sound_in_a_small_log(library: str, layout: str, tmp_path: Path) -> None:
    """Nothing that no sound contract makes; what a partner brings about once in very many is not seen in it."""
    log = logged(tmp_path / "log", layout, library, 1, 200)
    fresh = logged(tmp_path / "fresh", layout, library, 77, 50)

    guards = synthesize(log)
    checks = verify(guards, [fresh])

    assert diagnose(log) == []
    assert guards.guards
    assert guards.refused == ()
    assert not any(record.solo for check in checks if check.hidden for record in check.examples)
    assert sum(check.hidden for check in checks) * 2000 < sum(check.support for check in checks)


@pytest.mark.slow
@pytest.mark.parametrize("layout", SOUND_ON)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_sound(library: str, layout: str, tmp_path: Path) -> None:
    """At full length its guards hide no success of their own log, nor of a fresh one."""
    log = logged(tmp_path / "log", layout, library, 1, 2000)
    fresh = logged(tmp_path / "fresh", layout, library, 77, 500)

    guards = synthesize(log)

    assert diagnose(log) == []
    assert guards.refused == ()
    assert [check for check in verify(guards, [log, fresh]) if check.hidden] == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_soups_come_of_random_play_under_a_librarys_guards(library: str, tmp_path: Path) -> None:
    """Its options are enough to play the game with."""
    guards = synthesize(logged(tmp_path / "log", "asymmetric_advantages", library, 1, 100))
    game = registry.make("overcooked:asymmetric_advantages")
    options = registry.library(game, library)
    gate = GuardSet(options, guards.guards)
    dice = random.Random(3)
    soups = 0

    for episode in range(12):
        game.reset(episode, "standard")
        execution = Execution(game)
        for _ in range(400):
            for seat, run in enumerate(execution.runs):
                if run is None:
                    facts = execution.facts
                    menu = [e for o in options.options for e in gate.filter(o, o.instances(facts, seat), facts, seat)]
                    entry = dice.choice(menu)
                    execution.start(seat, options.by_name[entry.option], entry)
            execution.step()
            soups += execution.rewards[0] > 0
            execution.judge()

    assert soups > 0
