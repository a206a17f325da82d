"""Teams that are built to have one behaviour, and their episodes."""

from collections.abc import Iterator, Sequence

from hocket.agents.scripted.forager import Forager
from hocket.agents.scripted.wishes import first, nearest
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.learners.own_guards import own_guards
from hocket.replays.episodes import Episodes
from hocket.replays.trace import Trace
from hocket.runtime.policy import Agent, Choice, Offer


class Soloist:
    """A cook that makes whole soups in a pot of its own, one pot a seat, and looks at nobody."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [first(offer, *self._wishes(offer)) for offer in offers]

    def _wishes(self, offer: Offer) -> list[str]:
        pot = offer.observation.pots[offer.seat]
        at = f"@{pot.at[0]},{pot.at[1]}"
        held = offer.observation.me.held
        if held != "nothing":
            used = {"onion": f"place_in_pot{at}", "dish": f"plate_soup{at}", "soup": "deliver"}[held.partition(":")[0]]
            return [key for key in offer.menu.keys if key.startswith(used)]
        if pot.state in ("cooking", "ready"):
            wished = "pick_dish"
        else:
            wished = f"start_cooking{at}" if len(pot.contents) == 3 else "pick_onion"
        return [key for key in offer.menu.keys if key.startswith(wished)]


class Jack:
    """An avatar of Cleanup for all trades: cleans or eats what it sees, and goes to either place, by a draw."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [self._choose(offer) for offer in offers]

    def _choose(self, offer: Offer) -> Choice:
        dirt = nearest("clean_dirt", offer.observation.dirt)
        apples = nearest("eat_apple", offer.observation.apples)
        if offer.draw < 0.5:
            return first(offer, *dirt, *apples, "go_to_river")
        return first(offer, *apples, *dirt, "go_to_orchard")


class Modest:
    """A forager that waits most of the time."""

    def __init__(self) -> None:
        self._forager = Forager()

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Wait, or choose as a forager does."""
        foraging = self._forager.choose_many(offers)
        return [first(offer) if offer.draw < 0.95 else choice for offer, choice in zip(offers, foraging, strict=True)]


def team(game: str, *names: str) -> list[Agent]:
    """Cast agents by name."""
    cast = Cast(game.partition(":")[0])
    return [cast.holder(name, seat).agent for seat, name in enumerate(names)]


def episodes(game: str, agents: Sequence[Agent], count: int, first_seed: int = 10_000) -> Iterator[Trace]:
    """Play a team, every cook anywhere in its room at the start, behind the game's own guards."""
    world = registry.make(game)
    guards = own_guards(world, registry.library(world)).guards
    for seed in range(first_seed, first_seed + count):
        yield Episodes()(game, agents, seed=seed, starts="scattered", guards=guards)
