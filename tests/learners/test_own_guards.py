"""A game's own guards: committed, else cached, else mined."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.games import registry
from hocket.learners import own_guards as module
from hocket.learners.guard_file import GuardFile, encode_guards, fit, read_guards
from hocket.learners.own_guards import mine, own_guards
from hocket.runtime.option import Library

PANTRY = registry.make("pantry")
LIBRARY = registry.library(PANTRY)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of one's own, a short burn-in, and nothing committed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "EPISODES", 60)
    monkeypatch.setattr(module, "STEPS", 40)
    monkeypatch.setattr(registry, "guards", lambda game, library="default": None)
    return tmp_path / "cache" / "hocket" / "guards"


@pytest.fixture
def mined() -> GuardFile:
    """What mining gives."""
    return mine(PANTRY, LIBRARY, lambda episodes: None)


def forbid(episodes: int) -> None:
    """Progress of something that should not be done."""
    raise AssertionError("guards were mined")


def commit(monkeypatch: pytest.MonkeyPatch, file: GuardFile) -> None:
    """Let a file come with the game."""
    monkeypatch.setattr(registry, "guards", lambda game, library="default": encode_guards(file))


def test_committed_guards_are_taken_where_they_fit(
    mined: GuardFile, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """Nothing is mined, and nothing kept."""
    commit(monkeypatch, mined)

    assert own_guards(PANTRY, LIBRARY, forbid) == mined
    assert not cache.exists()


def test_guards_are_mined_once_and_kept(mined: GuardFile, cache: Path) -> None:
    """The second time they come from the cache."""
    told: list[int] = []

    first = own_guards(PANTRY, LIBRARY, told.append)
    second = own_guards(PANTRY, LIBRARY, forbid)

    assert sum(told) == 120
    assert first == second == mined
    assert [read_guards(path) for path in cache.iterdir()] == [mined]
    assert fit(first, PANTRY, LIBRARY, "own")


def test_committed_guards_of_the_game_as_it_usually_is_are_not_those_of_a_changed_one(
    mined: GuardFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third cook makes it another game."""
    commit(monkeypatch, mined)
    crowded = registry.make("pantry", {"seats": 3})

    file = own_guards(crowded, LIBRARY)

    assert file.game_digest != mined.game_digest
    assert fit(file, crowded, LIBRARY, "own")


def test_committed_guards_of_an_older_library_are_mined_anew(mined: GuardFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever changes an option does not play with guards of the old one."""
    commit(monkeypatch, msgspec.structs.replace(mined, library=msgspec.structs.replace(mined.library, version=0)))

    assert own_guards(PANTRY, LIBRARY) == mined


def test_games_and_libraries_have_files_of_their_own_in_the_cache(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """By the digest of either."""
    other: Library[Any] = Library(name="default", version=1, digest="0" * 16, options=LIBRARY.options)
    own_guards(PANTRY, LIBRARY)
    own_guards(registry.make("pantry", {"seats": 1}), LIBRARY)
    monkeypatch.setattr(registry, "library", lambda game, name="default": other)
    own_guards(PANTRY, other)

    assert len(list(cache.iterdir())) == 3


@pytest.mark.parametrize("damage", [b"", b"{", b'{"schema": 2, "moon": "full"}'])
def test_a_cached_file_that_cannot_be_used_is_mined_anew(mined: GuardFile, cache: Path, damage: bytes) -> None:
    """A cache is nothing that a user has to mend, also not one that a newer version wrote."""
    own_guards(PANTRY, LIBRARY)
    [path] = cache.iterdir()
    path.write_bytes(damage)

    assert own_guards(PANTRY, LIBRARY) == mined
    assert read_guards(path) == mined


def test_a_cached_file_of_another_game_is_mined_anew(mined: GuardFile, cache: Path) -> None:
    """Its name is no proof."""
    own_guards(PANTRY, LIBRARY)
    [path] = cache.iterdir()
    path.write_bytes(encode_guards(msgspec.structs.replace(mined, game_digest="0" * 16)))

    assert own_guards(PANTRY, LIBRARY) == mined


@pytest.mark.parametrize("place", ["hocket", "hocket/guards"])
def test_a_cache_that_cannot_be_written_is_done_without(
    mined: GuardFile, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    """The guards are there; it is said that they will be mined again."""
    (tmp_path / "cache" / place).parent.mkdir(parents=True)
    (tmp_path / "cache" / place).touch()

    assert own_guards(PANTRY, LIBRARY) == mined
    assert "mined guards cannot be kept" in capsys.readouterr().out


def test_mining_leaves_no_log_behind(
    mined: GuardFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """It is a means, and large."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    own_guards(PANTRY, LIBRARY)

    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
