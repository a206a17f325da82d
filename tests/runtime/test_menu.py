"""Menus: letters, lines, and an order drawn per decision."""

from hocket.games.pantry.options import default_library
from hocket.games.pantry.rules import FLOOR, Facts
from hocket.runtime.menu import Menu, Menus, letters
from hocket.runtime.option import instance
from hocket.runtime.seed import Streams

FACTS = Facts(FLOOR[:2], (False, False))


def menus(seed: int = 0) -> Menus[Facts]:
    """The menus of a pantry of two."""
    return Menus(default_library(), Streams(seed), 2)


def test_letters_go_on_after_z_with_two() -> None:
    """A kitchen with many counters has more than 26 options."""
    named = letters(26 + 26 * 26 + 1)

    assert named[:3] == ("A", "B", "C")
    assert named[25:28] == ("Z", "AA", "AB")
    assert named[26 + 26 * 26 - 1 :] == ("ZZ", "AAA")
    assert len(set(named)) == len(named)


def test_a_line_is_a_letter_and_what_it_stands_for() -> None:
    """This is what people and models read."""
    menu = Menu.of([instance("fetch", (0, 2), "fetch a jar"), instance("wait", None, "wait 2 ticks")])

    assert menu.lines() == ("A) fetch a jar @ (0, 2)", "B) wait 2 ticks")
    assert menu.keys == ("fetch@0,2", "wait")
    assert len(menu) == 2


def test_a_menu_holds_every_instance_once() -> None:
    """The order is drawn; what is offered is not."""
    library = default_library()
    offered = [entry for option in library.options for entry in option.instances(FACTS, 0)]

    menu = menus().menu(FACTS, 0, 4)

    assert sorted(menu.keys) == sorted(entry.key for entry in offered)
    assert len(set(menu.keys)) == len(menu)


def test_an_order_belongs_to_seed_seat_and_decision() -> None:
    """The same three give the same letters, and another of any gives others."""
    drawn = menus().menu(FACTS, 0, 4).keys

    assert menus().menu(FACTS, 0, 4).keys == drawn
    assert menus(seed=1).menu(FACTS, 0, 4).keys != drawn
    assert menus().menu(FACTS, 1, 4).keys != drawn
    assert menus().menu(FACTS, 0, 5).keys != drawn


def test_an_option_comes_up_at_every_letter_equally_often() -> None:
    """Else a model that leans to letter A would lean to an option."""
    book = menus(seed=5)

    places = [0] * 6
    for decision in range(3000):
        places[book.menu(FACTS, 1, decision).keys.index("wait")] += 1

    assert all(400 < count < 600 for count in places)
