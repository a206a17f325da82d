"""`hocket games`: what can be played."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

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
    """With those that it may have been meant for."""
    outcome = call("games", "chess")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "hocket: there is no game 'chess' (nearest: harvest)\n"


def test_a_kind_that_lacks_its_files_hides_no_other(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Melting Pot is an extra; whoever has it not still sees all kitchens, and what it would take."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    outcome = call("games")

    assert (outcome.code, outcome.err) == (0, "")
    assert "overcooked:cramped_room " in outcome.out
    assert "cannot be played here: the Melting Pot substrates are not installed" in outcome.out
