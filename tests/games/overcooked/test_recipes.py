"""What a soup is worth and how long it cooks, by the package's order of precedence."""

import pytest

from hocket.games.overcooked.recipes import Recipes

PLAIN, MIXED = ("onion", "onion"), ("tomato", "onion")


@pytest.mark.parametrize(
    ("recipes", "value", "time"),
    [
        (Recipes(), 20, 20),
        (Recipes(delivery_reward=5, cook_time=7), 5, 7),
        (Recipes(delivery_reward=0, cook_time=0), 20, 20),
        (Recipes(onion_value=21, tomato_value=13, onion_time=15, tomato_time=7), 34, 22),
        (Recipes(onion_value=21, tomato_value=0, onion_time=0, tomato_time=7), 20, 20),
        (Recipes(all_orders=(PLAIN, MIXED), recipe_values=(3, 4), recipe_times=(5, 6)), 4, 6),
        (Recipes(all_orders=(PLAIN, MIXED), recipe_values=(3, 0), recipe_times=(5, 0)), 0, 0),
        (Recipes(all_orders=(PLAIN,), recipe_values=(3,), recipe_times=(5,)), 20, 20),
    ],
)
def test_the_first_key_that_speaks_of_a_soup_decides(recipes: Recipes, value: float, time: int) -> None:
    """Zero counts as not given, except in a list beside the orders."""
    soup = ("onion", "tomato")

    assert (recipes.value(soup), recipes.time(soup)) == (value, time)
