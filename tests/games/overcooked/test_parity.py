"""The kitchen against overcooked-ai 1.1.0, step for step."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import pytest

from hocket.games.overcooked.kitchen import STAY, Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.reference import ReferenceKitchen
from hocket.games.overcooked.state_dict import to_dict

pytestmark = pytest.mark.skipif(find_spec("overcooked_ai_py") is None, reason="needs the extra overcooked")

STEPS = 2000
SERVICE = 40
"""Steps from one restart to the next; every fifth restart is the standard start."""

Draw = Callable[[Kitchen, random.Random], tuple[int, ...]]


def played(kitchen: Kitchen, varied: Draw, busy: Draw) -> Iterator[tuple[tuple[int, ...] | None, tuple[int, ...]]]:
    """The same restarts and joint actions for every kitchen of one layout: uniform ones and busy ones in turns."""
    rng = random.Random(kitchen.layout.name)
    for number in range(STEPS):
        start = None
        if number % SERVICE == 0:
            start = kitchen.tables.start if number % (5 * SERVICE) == 0 else varied(kitchen, rng)
        uniform = tuple(rng.randrange(6) for _ in range(kitchen.players))
        yield start, busy(kitchen, rng) if number % 3 else uniform


def assert_equal_steps(layout: Layout, varied: Draw, busy: Draw) -> None:
    """Step both; compare rewards, events, the flat state and what the package itself writes about its state."""
    kitchen, reference = Kitchen(layout), ReferenceKitchen(layout)
    for start, joint in played(kitchen, varied, busy):
        if start is not None:
            kitchen.load(start)
            reference.load(start)
        before = kitchen.facts()

        ours, theirs = kitchen.step(joint), reference.step(joint)

        context = (layout.name, before, joint)
        assert (ours, kitchen.facts()) == (theirs, reference.facts()), context
        written = reference.package_state().to_dict()
        written["objects"].sort(key=lambda thing: thing["position"])
        assert to_dict(kitchen, kitchen.facts()) == written, context


@pytest.mark.slow
@pytest.mark.parametrize("name", layout_names())
def test_every_shipped_layout_plays_as_in_the_package(name: str, varied: Draw, busy: Draw) -> None:
    """Two thousand steps from standard and varied starts: the same states, rewards and events."""
    assert_equal_steps(load_layout(name), varied, busy)


def test_a_few_layouts_play_as_in_the_package(varied: Draw, busy: Draw) -> None:
    """One onion kitchen, one with tomatoes and a bonus, one for one and one for four, in the fast tests too."""
    for name in ("forced_coordination", "soup_coordination", "cramped_room_single", "multiplayer_schelling"):
        assert_equal_steps(load_layout(name), varied, busy)


def test_three_cooks_play_as_in_the_package(three_cooks: Layout, varied: Draw, busy: Draw) -> None:
    """No shipped layout has three players."""
    assert_equal_steps(three_cooks, varied, busy)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_pots_of_another_size_play_as_in_the_package(most: int, varied: Draw, busy: Draw) -> None:
    """The package keeps recipes of larger pots in its process; the reference must not let them in."""
    grid = ("XPXXX", "O1 2T", "XDXSX")
    layout = Layout(name=f"pots_of_{most}", grid=grid, max_num_ingredients=most, onion_time=3, tomato_time=5)

    assert_equal_steps(layout, varied, busy)


def test_a_layout_without_any_time_to_cook_plays_as_in_the_package(varied: Draw, busy: Draw) -> None:
    """A time of 0 in a list counts, so a soup is done at once; a value of 0 pays nothing."""
    orders = (("onion",), ("onion", "tomato"), ("tomato",))
    grid = ("XPXXX", "O1 2T", "XDXSX")
    layout = Layout(
        name="at_once", grid=grid, all_orders=orders, recipe_times=(0, 1, 0), recipe_values=(0, 7, 2.5), order_bonus=-1
    )

    assert_equal_steps(layout, varied, busy)


def test_the_package_runs_every_shipped_layout() -> None:
    """So no layout is left out of the comparison above for a reason of the package's own."""
    failed = {}
    for name in layout_names():
        try:
            reference = ReferenceKitchen(load_layout(name))
            reference.step((STAY,) * reference.players)
        except Exception as error:  # whatever the package raises is what the test reports
            failed[name] = repr(error)

    assert failed == {}


def test_the_comparison_saw_everything_happen(varied: Draw, busy: Draw) -> None:
    """Equal steps prove little where nothing is delivered and nobody is in the way."""
    seen: Counter[str] = Counter()
    for name in layout_names():
        kitchen = Kitchen(load_layout(name))
        for start, joint in played(kitchen, varied, busy):
            kitchen.load(start or kitchen.facts())
            before = kitchen.facts()
            rewards, events = kitchen.step(joint)
            seen.update(f"{event.kind} {event.what}" for event in events)
            seen["paid"] += any(rewards)
            seen["two things at once"] += len(events) > 1
            seen["collided"] += _collided(kitchen, before, joint)

    common = ("paid", "two things at once", "collided", "potted tomato", "potted onion")
    assert [what for what in common if seen[what] < 50] == []
    soups = ("soup:onion,onion,onion", "soup:tomato,onion,onion", "soup:onion,tomato")
    rare = [f"{kind} {soup}" for soup in soups for kind in ("started_cooking", "plated", "delivered", "took")]
    assert [what for what in rare if not seen[what]] == []


def _collided(kitchen: Kitchen, before: tuple[int, ...], joint: tuple[int, ...]) -> bool:
    """A cook walked towards free floor, and no cook moved."""
    offsets = [kitchen.seat0 + 3 * seat for seat in range(kitchen.players)]
    free = any(
        action < STAY and kitchen.tables.grid.moved[4 * before[offset] + action] != before[offset]
        for offset, action in zip(offsets, joint, strict=True)
    )
    return free and all(kitchen.state[offset] == before[offset] for offset in offsets)
