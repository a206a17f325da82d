"""The table of games."""

import msgspec
import pytest

from hocket.games import registry
from hocket.runtime.errors import SettingError, UnknownNameError
from hocket.runtime.game import GameSpec


def test_every_kind_of_game_is_listed_with_what_it_is_about() -> None:
    """`hocket games` prints these lines; the names are those that `make` takes."""
    kinds = registry.kinds()

    assert {"overcooked", "pantry"} <= set(kinds)
    assert list(kinds) == sorted(kinds)
    for name, kind in kinds.items():
        assert kind.name == name
        assert kind.about
        assert kind.variants()


def test_a_game_is_made_by_name_and_settings() -> None:
    """A colon stands before the variant, and a kind with a default needs none."""
    assert registry.make("pantry").seats == 2
    assert registry.make("pantry", {"seats": 5}).seats == 5
    assert registry.make("pantry:roles").spec.name == "pantry:roles"
    assert registry.make("overcooked:cramped_room").spec.name == "overcooked:cramped_room"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pantri", "there is no game 'pantri' (nearest: pantry, pantry:roles)"),
        ("pantry:rolls", "there is no pantry 'rolls' (nearest: roles)"),
        ("pantry:roles:2", "there is no pantry 'roles:2' (nearest: roles)"),
        ("overcooked:cramped_rom", "there is no layout 'cramped_rom' (nearest: cramped_room"),
    ],
)
def test_an_unknown_game_is_answered_with_the_nearest(name: str, message: str) -> None:
    """A typing mistake is mended at one glance."""
    with pytest.raises(UnknownNameError) as refused:
        registry.make(name)

    assert str(refused.value).startswith(message)


def test_no_name_at_all_is_answered_with_what_there_is() -> None:
    """Whoever does not know what there is, learns it."""
    with pytest.raises(UnknownNameError, match=r"\(known: cleanup, harvest, harvest:closed, .* and \d+ more\)"):
        registry.make("")


@pytest.mark.parametrize("seats", [0, 13, -1, True, 2.0, "two", None])
def test_a_value_that_a_setting_cannot_take_is_refused(seats: object) -> None:
    """The sentence says what would be right."""
    with pytest.raises(SettingError) as refused:
        registry.make("pantry", {"seats": seats})

    assert str(refused.value) == f"seats is {seats!r}, but must be 1 to 12"


@pytest.mark.parametrize(("name", "known"), [("pantry", "seats"), ("overcooked:cramped_room", "old_dynamics")])
def test_a_setting_that_a_game_does_not_have_is_refused(name: str, known: str) -> None:
    """A misspelt setting would otherwise be an experiment with the usual one."""
    with pytest.raises(UnknownNameError, match=f"there is no setting of .*{known}"):
        registry.make(name, {known[:-1]: 1})


def test_an_unknown_library_is_refused() -> None:
    """As is everything that is asked for by name."""
    with pytest.raises(UnknownNameError, match=r"there is no option library 'native' \(known: default\)"):
        registry.library(registry.make("pantry"), "native")


def test_a_game_is_built_again_from_what_a_trace_says_of_it() -> None:
    """The spec goes through JSON, as it does in a header."""
    spec = registry.make("pantry", {"seats": 7}).spec

    read = msgspec.json.decode(msgspec.json.encode(spec), type=GameSpec)

    assert registry.rebuild(read).spec == spec


def test_a_trace_of_a_game_that_is_not_installed_is_told_so() -> None:
    """It names the kind, since that is what has to be installed."""
    with pytest.raises(UnknownNameError, match="there is no game 'chess'"):
        registry.rebuild(GameSpec("chess", "chess:blitz", {}))
