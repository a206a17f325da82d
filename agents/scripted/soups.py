"""Which soup a pot should become, and what it still lacks.

A view carries orders but no prices, so a soup is taken to be worth what goes into
it, twice that with a bonus, and an onion a little more than a tomato.
"""

from functools import lru_cache

Soup = tuple[str, ...]


@lru_cache(maxsize=4096)
def missing(contents: Soup, orders: tuple[Soup, ...], bonuses: tuple[Soup, ...], at_hand: Soup) -> Soup | None:
    """Return what is to be added for the best ordered soup, None where no order can be met.

    Args:
        contents: ingredients in the pot.
        orders: soups that are paid for.
        bonuses: those of them that are paid with a bonus.
        at_hand: kinds of ingredient that the cooks can bring.
    """
    best: Soup | None = None
    most = 0.0
    for order in orders:
        rest = _less(order, contents)
        if rest is None or any(item not in at_hand for item in rest):
            continue
        worth = (2 if order in bonuses else 1) * (len(order) + 0.1 * order.count("onion"))
        if worth > most:
            best, most = rest, worth
    return best


def _less(order: Soup, contents: Soup) -> Soup | None:
    rest = list(order)
    for item in contents:
        if item not in rest:
            return None
        rest.remove(item)
    return tuple(rest)
