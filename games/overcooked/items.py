"""What a cook can hold, as small numbers and as names.

Nothing is 0, an onion 1, a tomato 2, a dish 3, and a finished soup 4 plus its
contents. Contents are the ingredients in the order in which they were potted,
as digits in base 3, first ingredient most significant: 13 is three onions.
"""

from collections.abc import Iterable

NOTHING, ONION, TOMATO, DISH, SOUP = range(5)
INGREDIENTS = ("onion", "tomato")
PLAIN = ("nothing", "onion", "tomato", "dish")


def pack(ingredients: Iterable[str]) -> int:
    """Contents of a pot from the names of its ingredients, first potted first."""
    contents = 0
    for name in ingredients:
        contents = 3 * contents + INGREDIENTS.index(name) + 1
    return contents


def unpack(contents: int) -> tuple[str, ...]:
    """Names of the ingredients of a pot, first potted first."""
    names: list[str] = []
    while contents:
        contents, digit = divmod(contents, 3)
        names.append(INGREDIENTS[digit - 1])
    return tuple(reversed(names))


def item_name(code: int) -> str:
    """Name of an item: `onion`, `dish`, `soup:onion,onion,tomato`; `nothing` for 0."""
    if code < SOUP:
        return PLAIN[code]
    return "soup:" + ",".join(unpack(code - SOUP))


def item_code(name: str) -> int:
    """Number of the item with a name.

    Raises:
        ValueError: no item has that name.
    """
    kind, colon, ingredients = name.partition(":")
    if kind == "soup" and colon:
        return SOUP + pack(ingredients.split(","))
    return PLAIN.index(name)
