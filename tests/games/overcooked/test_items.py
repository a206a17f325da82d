"""Numbers and names of what a cook can hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.overcooked.items import DISH, ONION, SOUP, item_code, item_name, pack, unpack

ingredients = st.lists(st.sampled_from(["onion", "tomato"]), min_size=1, max_size=8)


@given(soup=ingredients)
def test_a_pot_remembers_the_order_of_its_ingredients(soup: list[str]) -> None:
    """The package writes them in that order."""
    assert unpack(pack(soup)) == tuple(soup)


@given(soup=ingredients)
def test_a_soup_has_one_number_and_one_name(soup: list[str]) -> None:
    """The name can be read back."""
    code = SOUP + pack(soup)

    assert item_code(item_name(code)) == code


def test_names_are_those_of_the_package() -> None:
    """And a soup lists what is in it."""
    names = [item_name(code) for code in (0, ONION, 2, DISH, SOUP + 5)]

    assert names == ["nothing", "onion", "tomato", "dish", "soup:onion,tomato"]


@pytest.mark.parametrize("name", ["leek", "soup", "soup:", "soup:leek"])
def test_what_nobody_can_hold_has_no_number(name: str) -> None:
    """A name from a file may be anything."""
    with pytest.raises(ValueError, match="not in"):
        item_code(name)
