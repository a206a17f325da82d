"""The scripted partners of Melting Pot: the two dilemmas in small, and the manners of each."""

from functools import cache
from typing import Any

import msgspec
import pytest
from tests.games.meltingpot.worlds import NORTH, needs_substrates, standing, world

from hocket.agents.scripted.cleaner import Cleaner
from hocket.agents.scripted.eater import Eater
from hocket.agents.scripted.forager import Forager
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.games.meltingpot.facts import Facts
from hocket.runtime.errors import AgentError
from hocket.runtime.events import Event, GameEvent, OptionChosen, Stepped
from hocket.runtime.menu import Menu
from hocket.runtime.policy import Chooser, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats

EATER, CLEANER, FORAGER = "scripted:eater", "scripted:cleaner", "scripted:forager"
SEEDS = range(3)
PAPER = 93.25
"""Apples that the trained team of the PA-MAGRPO paper eats in an episode of Cleanup."""


class Played(msgspec.Struct, frozen=True):
    """What came of an episode."""

    returns: tuple[float, ...]
    chosen: tuple[str, ...]
    """Keys of the options that were chosen, by whomever."""
    steps: tuple[tuple[GameEvent, ...], ...]
    """What happened in each step."""

    @property
    def apples(self) -> float:
        """Eaten by all together."""
        return sum(self.returns)

    def alive(self, ticks: int | None = None) -> int:
        """Patches of Commons Harvest that still bear apples after so many steps; at the start it is all six."""
        live = {event.what: event.amount for step in self.steps[:ticks] for event in step if event.kind == "apples"}
        return 6 - sum(amount == 0 for amount in live.values())


@cache
def played(name: str, agents: tuple[str, ...], seed: int, starts: str = "standard") -> Played:
    """Play an episode of the usual length."""
    game, cast = registry.make(name), Cast(name.partition(":")[0])
    library = registry.library(game)
    scheduler = Scheduler(game, library, seed=seed, holders=agents, steps=game.steps, starts=starts)
    seats = Seats([cast.holder(agent, seat) for seat, agent in enumerate(agents)], cast.fallback("idle"))
    events: list[Event] = []

    (result,) = play([Rollout(scheduler, seats, events.extend)])

    assert scheduler.holders == [*agents]
    return Played(
        result.returns,
        tuple(event.option for event in events if isinstance(event, OptionChosen)),
        tuple(event.events for event in events if isinstance(event, Stepped)),
    )


@needs_substrates
def test_eaters_alone_starve_on_cleanup() -> None:
    """Nobody cleans, so not one apple grows."""
    episodes = [played("cleanup", (EATER,) * 7, seed) for seed in SEEDS]

    assert [episode.apples for episode in episodes] == [0] * len(SEEDS)
    assert not {key for episode in episodes for key in episode.chosen if key.startswith("clean_dirt")}


@needs_substrates
def test_eaters_live_on_what_three_cleaners_do() -> None:
    """More than the paper's trained team has, and the cleaners have nothing of it."""
    episodes = [played("cleanup", (EATER,) * 4 + (CLEANER,) * 3, seed) for seed in SEEDS]

    assert min(episode.apples for episode in episodes) > PAPER
    assert all(min(episode.returns[:4]) > 0 for episode in episodes)
    assert max(max(episode.returns[4:]) for episode in episodes) <= 5


@needs_substrates
def test_cleaners_alone_have_a_clean_river_and_starve() -> None:
    """They do nothing else."""
    episodes = [played("cleanup", (CLEANER,) * 7, seed) for seed in SEEDS]
    shares = [[event.amount for step in each.steps for event in step if event.kind == "dirt"] for each in episodes]

    assert [episode.apples for episode in episodes] == [0] * len(SEEDS)
    assert all(found[-1] < 0.1 for found in shares)


@needs_substrates
def test_greedy_harvesters_leave_nothing_and_foragers_live_well() -> None:
    """The patches of the greedy are dead long before the end; who spares them eats for all of it, and more."""
    greedy = [played("harvest:no_thinning", (EATER,) * 7, seed) for seed in SEEDS]
    sparing = [played("harvest:no_thinning", (FORAGER,) * 7, seed) for seed in SEEDS]

    assert [episode.alive(200) for episode in greedy] == [0] * len(SEEDS)
    assert min(episode.alive() for episode in sparing) >= 3
    assert all(spared.apples >= 2 * rushed.apples for spared, rushed in zip(sparing, greedy, strict=True))


@needs_substrates
@pytest.mark.parametrize("name", ["harvest:open", "harvest:no_thinning"])
def test_a_forager_never_eats_the_last_apple_of_a_patch(name: str) -> None:
    """Alone it loses no patch, though it may have to step over an apple where it is shut in by them."""
    for seed in SEEDS:
        episode = played(name, (FORAGER, *("idle",) * 6), seed)
        left = [event.amount for step in episode.steps for event in step if event.kind == "apples"]

        assert episode.returns[0] > 50
        assert min(left) > 0
        assert episode.alive() == 6


@needs_substrates
@pytest.mark.parametrize(("name", "agent", "deed"), [("cleanup", CLEANER, "cleaned"), ("harvest:closed", EATER, "ate")])
def test_partners_find_work_from_odd_starts(name: str, agent: str, deed: str) -> None:
    """Among six who play at random, whatever there is of dirt and apples."""
    for seed in SEEDS:
        episode = played(name, (agent, *("random",) * 6), seed, "varied")

        assert sum(event.kind == deed and event.seat == 0 for step in episode.steps for event in step) > 5


@needs_substrates
def test_one_seed_gives_one_episode() -> None:
    """Nothing is kept in an agent from one episode to the next."""
    team = (EATER,) * 4 + (CLEANER,) * 3

    assert played.__wrapped__("cleanup", team, 1) == played("cleanup", team, 1)
    assert played("cleanup", team, 1) != played("cleanup", team, 2)


@pytest.mark.parametrize(
    ("agent", "game", "problem"),
    [
        (CLEANER, "harvest", "it plays cleanup, not harvest"),
        (FORAGER, "cleanup", "it plays harvest, not cleanup"),
        (EATER, "overcooked", "it plays cleanup and harvest, not overcooked"),
        ("scripted:cook", "cleanup", "it plays overcooked, not cleanup"),
    ],
)
def test_each_says_what_it_plays(agent: str, game: str, problem: str) -> None:
    """In place of a team that stands about."""
    with pytest.raises(AgentError) as refused:
        Cast(game).holder(agent, 0)

    assert str(refused.value) == f"agent '{agent}': {problem}"


def offered(name: str, facts: Facts | None = None) -> Offer:
    """What the first seat is offered at the start of an episode, or with the facts that are given."""
    game = registry.make(name)
    library = registry.library(game)
    scheduler: Scheduler[Any] = Scheduler(game, library, seed=0, holders=["ada"] * game.seats, steps=9)
    offer: Offer = scheduler.due()[0]
    if facts is not None:
        entries = [entry for option in library.options for entry in option.instances(facts, 0)]
        offer = msgspec.structs.replace(offer, menu=Menu.of(entries), _facts=facts)
    return offer


def choice(offer: Offer, agent: Chooser) -> str:
    """The key that an agent picks."""
    (answer,) = agent.choose_many([offer])
    assert not isinstance(answer, Exception)
    index: int = answer.index  # type: ignore[union-attr]
    return offer.menu.keys[index]


@needs_substrates
def test_a_forager_counts_who_else_is_there() -> None:
    """Three apples stay, and one for everybody in view, who may be after them too."""
    game = world("harvest:open", seats=7)
    patch = [game.terrain.place(cell) for cell in game.terrain.patches[1]]
    choices = {}
    for apples, others in ((3, 0), (4, 0), (4, 1), (5, 1), (5, 2)):
        poses = [((8, 9), NORTH), *(((5 + number, 9), NORTH) for number in range(others)), *[None] * (6 - others)]
        facts = standing(game, poses, apples=patch[:apples])
        choices[apples, others] = choice(offered("harvest:open", facts), Forager()).partition("@")[0]

    assert choices == {
        (3, 0): "go_to_patch",
        (4, 0): "eat_apple",
        (4, 1): "go_to_patch",
        (5, 1): "eat_apple",
        (5, 2): "go_to_patch",
    }


@needs_substrates
@pytest.mark.parametrize(
    ("name", "agent"),
    [("cleanup", Eater()), ("cleanup", Cleaner()), ("harvest:open", Eater()), ("harvest:open", Forager())],
)
def test_it_waits_where_nothing_else_is_on_the_menu(name: str, agent: Chooser) -> None:
    """Guards may hide what it would rather do."""
    offer = offered(name)
    menu = Menu.of([each for each in offer.menu.entries if each.option == "wait"])

    assert choice(msgspec.structs.replace(offer, menu=menu), agent) == "wait"


@needs_substrates
def test_an_eater_takes_the_nearest_apple_and_a_cleaner_the_nearest_dirt() -> None:
    """Of those that it sees, on foot; where it sees none it goes to where there are some."""
    game = world("cleanup")
    both = standing(
        game, [((14, 9), NORTH), *[None] * 6], apples=[(14, 7), (14, 8), (12, 9)], dirt=[(14, 5), (14, 3), (16, 6)]
    )
    none = standing(game, [((14, 9), NORTH), *[None] * 6])

    found = [choice(offered("cleanup", facts), agent) for agent in (Eater(), Cleaner()) for facts in (both, none)]

    assert found == ["eat_apple@14,8", "go_to_orchard", "clean_dirt@14,5", "go_to_river"]
