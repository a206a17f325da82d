"""`hocket games`: what can be played."""

from collections.abc import Callable
from typing import Any

import msgspec

from hocket.games import registry

Call = Callable[..., Any]


def test_every_installed_game_is_listed(call: Call) -> None:
    """With its layouts, seats and options."""
    outcome = call("games")

    assert (outcome.code, outcome.err) == (0, "")
    assert all(kind in outcome.out for kind in registry.kinds())
    assert "overcooked:cramped_room " in outcome.out
    assert "open_hatch" in outcome.out


def test_one_kind_can_be_asked_for(call: Call) -> None:
    """Kitchens are many."""
    outcome = call("games", "pantry")

    assert "pantry:roles" in outcome.out
    assert "overcooked" not in outcome.out


def test_games_as_json_are_one_object(call: Call) -> None:
    """Each game that it lists can be made."""
    outcome = call("games", "pantry", "--json")

    found = msgspec.json.decode(outcome.out)
    assert list(found) == ["pantry"]
    for game in found["pantry"]["games"]:
        assert registry.make(game["name"]).seats == game["seats"]


def test_an_unknown_kind_is_refused_in_one_sentence(call: Call) -> None:
    """With those that are known."""
    outcome = call("games", "chess")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "hocket: there is no game 'chess' (known: overcooked, pantry)\n"
