"""What is taught at each step: bare menus first, whole prompts at last.

Axis: B texts.
"""

from random import Random

from hocket.games.overcooked.layout import layout_names
from hocket.learners.embedded.prompts import (
    HELD_OUT,
    LIBRARIES,
    MOST_ENTRIES,
    Text,
    Writer,
    cut,
    easy_menu,
    form_drawn,
    made_menu,
    play_offers,
    sketch,
)
from hocket.learners.embedded.recipe import Recipe
from hocket.runtime.menu import Menu
from hocket.runtime.policy import Offer

MAIN = ("asymmetric_advantages", "cramped_room", "forced_coordination")
"""Layouts with committed guards, which every third prompt is from."""


def trained_layouts() -> tuple[str, ...]:
    """Return the layouts that prompts are played on."""
    return tuple(name for name in layout_names() if name not in HELD_OUT)


class Lessons:
    """Draws the texts of each step."""

    def __init__(self, recipe: Recipe, writer: Writer) -> None:
        self._recipe, self._writer, self._dice = recipe, writer, Random(recipe.seed)
        layouts = trained_layouts() if recipe.layouts is None else recipe.layouts
        self._main = [offer for name in MAIN if name in layouts for offer in self._play(name, 3 * recipe.episodes)]
        self._others = [offer for name in layouts for offer in self._play(name, recipe.episodes)]
        self._pantries = [
            offer
            for seats in range(2, 8)
            for _ in range(2 * recipe.episodes)
            for offer in play_offers("pantry", "default", self._dice, seats=None if seats == 2 else seats, share=1)
        ]
        self._roles = [
            offer
            for _ in range(10 * recipe.episodes)
            for offer in play_offers("pantry:roles", "default", self._dice, share=1)
        ]

    def _play(self, name: str, episodes: int) -> list[Offer]:
        return [
            offer
            for library in LIBRARIES
            for _ in range(episodes)
            for offer in play_offers(f"overcooked:{name}", library, self._dice)
        ]

    def texts(self, step: int) -> list[Text]:
        """Return the texts of one step, shape [B]."""
        recipe, dice, writer = self._recipe, self._dice, self._writer
        done = step / recipe.steps
        if done < recipe.easy:
            return [writer.drill(Menu.of(easy_menu(dice, dice.randint(2, 4))), dice, 10) for _ in range(48)]
        if done < recipe.drill:
            return [writer.drill(Menu.of(made_menu(dice, dice.randint(2, 8))), dice, 10) for _ in range(40)]
        if done < recipe.short:
            return [writer.drill(Menu.of(made_menu(dice, dice.randint(2, MOST_ENTRIES))), dice, 6) for _ in range(32)]
        return [writer.full(self._offer(), form_drawn(dice), dice, 1 if done > 0.85 else 3) for _ in range(24)]

    def _offer(self) -> Offer:
        dice = self._dice
        pools = (self._main, self._others, self._pantries, self._roles, None)
        [pool] = dice.choices(pools, (0.35, 0.25, 0.12, 0.03, 0.25))
        return sketch(dice) if pool is None else cut(dice.choice(pool), dice)
