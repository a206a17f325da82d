"""The native interface: primitive actions as a menu."""

import pytest

from hocket.agents.random import Random
from hocket.games import registry
from hocket.runtime.errors import UnknownNameError
from hocket.runtime.events import Event, MenuOffered, OptionEnded, OptionStarted, Stepped
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

GAMES = ("overcooked:cramped_room", "pantry", "pantry:roles")


def played(name: str, steps: int = 30) -> list[Event]:
    """An episode of random moves."""
    game = registry.make(name)
    library = registry.library(game, "primitives")
    scheduler = Scheduler(game, library, seed=1, holders=["ada"] * game.seats, steps=steps)
    events: list[Event] = []
    play([Rollout(scheduler, Seats([Holder("ada", Random())] * game.seats, Holder("ada", Random())), events.extend)])
    return events


@pytest.mark.parametrize("name", GAMES)
def test_every_action_of_a_game_is_an_option(name: str) -> None:
    """Under its own name, but for the one that does nothing: to wait is called the same in every library."""
    game = registry.make(name)

    library = registry.library(game, "primitives")

    names = [option.name for option in library.options]
    assert names == ["wait" if action == game.noop else each for action, each in enumerate(game.actions)]
    assert (library.name, library.version, len(library.digest)) == ("primitives", 1, 16)
    for action, option in enumerate(library.options):
        (entry,) = option.instances(game.facts(), 0)
        assert (entry.key, entry.target) == (option.name, None)
        assert option.expand(entry, game.facts(), 0) == (action,)
        assert option.effect(entry, game.facts(), game.facts(), 0)


@pytest.mark.parametrize("name", GAMES)
def test_every_tick_is_a_decision_and_what_is_chosen_is_done(name: str) -> None:
    """The whole menu, on every tick, in every state; no option fails or goes on."""
    game = registry.make(name)
    events = played(name)

    steps = [event.joint for event in events if isinstance(event, Stepped)]
    menus = [event for event in events if isinstance(event, MenuOffered)]
    started = [event for event in events if isinstance(event, OptionStarted)]
    ended = [event for event in events if isinstance(event, OptionEnded)]
    named = ["wait" if action == game.noop else each for action, each in enumerate(game.actions)]

    assert len(menus) == len(started) == len(ended) == game.seats * 30
    assert all(sorted(event.menu) == sorted(named) for event in menus)
    assert all(named.index(event.option) == steps[event.tick][event.seat] for event in started)
    assert {event.outcome for event in ended} == {"success"}


def test_a_library_that_no_game_has_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(UnknownNameError, match="there is no option library 'primitive'"):
        registry.library(registry.make("pantry"), "primitive")
