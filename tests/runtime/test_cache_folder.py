"""Where a user's own cache stands."""

from pathlib import Path

import pytest

from hocket.runtime.cache_folder import cache_folder


def test_a_cache_is_where_the_user_wants_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the desktop's convention has it, else under the user's home; nothing is made there."""
    found = []
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for value in (str(tmp_path / "cache"), ""):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        found.append(cache_folder("models"))

    assert found == [tmp_path / "cache/hocket/models", tmp_path / "home/.cache/hocket/models"]
    assert list(tmp_path.iterdir()) == []


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in some containers; that is no reason to fail."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)

    assert cache_folder("models") is None
