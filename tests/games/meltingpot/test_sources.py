"""Where the substrates are looked for, when they are whole, and what they are known by."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from hocket.games.meltingpot.sources import MANIFEST, VERSION, Manifest, digest, substrates
from hocket.runtime.errors import SubstratesError

DECISIVE = (
    "meltingpot/lua/modules/avatar.lua",
    "meltingpot/lua/levels/clean_up/init.lua",
    "meltingpot/configs/substrates/clean_up.py",
    "meltingpot/configs/substrates/commons_harvest__open.py",
    "meltingpot/configs/substrates/commons_harvest__closed.py",
    "meltingpot/configs/substrates/commons_harvest__partnership.py",
    "meltingpot/utils/substrates/builder.py",
)
OTHERS = ("LICENSE", "meltingpot/configs/substrates/coins.py", "meltingpot/utils/substrates/wrappers/base.py")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the substrates belong in a cache that holds nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/hocket/meltingpot" / VERSION


@pytest.fixture
def installed(place: Path) -> Path:
    """A small installation, whole."""
    for name in (*DECISIVE, *OTHERS):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"this is {name}")
    files = {name: (place / name).stat().st_size for name in (*DECISIVE, *OTHERS)}
    (place / MANIFEST).write_bytes(msgspec.json.encode(Manifest(VERSION, "5" * 64, files)))
    return place


def test_a_whole_installation_is_found(installed: Path) -> None:
    """Also with what Python compiles into it."""
    compiled = installed / "meltingpot/utils/substrates/__pycache__/builder.pyc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"code")

    assert substrates() == installed


def test_a_relative_cache_is_found_from_every_folder(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The substrates are handed to a process that may work elsewhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")

    assert substrates() == installed


def test_what_is_not_installed_is_said_with_the_command_that_installs_it(place: Path) -> None:
    """And nothing is made by looking."""
    with pytest.raises(SubstratesError) as told:
        substrates()

    assert str(told.value) == (
        "the Melting Pot substrates are not installed: `hocket meltingpot install` (needs the extra 'meltingpot')"
    )
    assert not place.parent.exists()


def _gone(folder: Path) -> None:
    (folder / DECISIVE[0]).unlink()


def _short(folder: Path) -> None:
    (folder / DECISIVE[0]).write_text("this is")


def _a_file_in_place_of_a_folder(folder: Path) -> None:
    shutil.rmtree(folder / "meltingpot/lua")
    (folder / "meltingpot/lua").write_text("")


def _without_manifest(folder: Path) -> None:
    (folder / MANIFEST).unlink()


def _half_a_manifest(folder: Path) -> None:
    content = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).write_bytes(content[: len(content) // 2])


def _a_manifest_in_latin(folder: Path) -> None:
    (folder / MANIFEST).write_bytes(b'{"version": "\xe9"}')


def _a_folder_in_place_of_the_manifest(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    (folder / MANIFEST).mkdir()


def _a_file_in_place_of_everything(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("")


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (_gone, f"{DECISIVE[0]} is missing"),
        (_short, f"{DECISIVE[0]} has 7 bytes in place of 41"),
        (_a_file_in_place_of_a_folder, f"{DECISIVE[0]} is missing"),
        (_without_manifest, "manifest.json is missing"),
        (_half_a_manifest, "manifest.json does not read"),
        (_a_manifest_in_latin, "manifest.json does not read"),
        (_a_folder_in_place_of_the_manifest, "manifest.json: is a directory"),
        (_a_file_in_place_of_everything, "manifest.json is missing"),
    ],
)
def test_what_is_not_whole_is_never_played_with(damage: Callable[[Path], None], what: str, installed: Path) -> None:
    """It names the first file that is wrong, and the command that mends it."""
    damage(installed)

    with pytest.raises(SubstratesError) as told:
        substrates()

    assert str(told.value) == (
        f"the Melting Pot substrates in {installed} are not whole ({what}): `hocket meltingpot install` mends them"
    )


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in some containers."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)

    with pytest.raises(SubstratesError, match=r"no home to keep them in; set XDG_CACHE_HOME$"):
        substrates()


def test_the_digest_is_of_contents_and_not_of_the_place(installed: Path, tmp_path: Path) -> None:
    """A trace that was recorded on one machine runs again on another."""
    shutil.copytree(installed, tmp_path / "elsewhere")

    assert digest(installed) == digest(tmp_path / "elsewhere")
    assert len(digest(installed)) == 16


@pytest.mark.parametrize("name", DECISIVE)
def test_every_file_that_decides_how_they_play_is_in_the_digest(name: str, installed: Path, tmp_path: Path) -> None:
    """One other letter, and a rerun would go another way."""
    shutil.copytree(installed, tmp_path / "changed")
    (tmp_path / "changed" / name).write_text(f"This is {name}")

    assert digest(installed) != digest(tmp_path / "changed")


def test_the_digest_knows_where_a_file_ends(installed: Path, tmp_path: Path) -> None:
    """Two files are not the one that holds the path and the words of the other."""
    shutil.copytree(installed, tmp_path / "joined")
    later, earlier = (tmp_path / "joined" / name for name in DECISIVE[:2])
    earlier.write_text(earlier.read_text() + DECISIVE[0] + later.read_text())
    later.unlink()

    assert digest(installed) != digest(tmp_path / "joined")


@pytest.mark.parametrize("name", [*OTHERS, MANIFEST])
def test_what_decides_nothing_is_not_in_the_digest(name: str, installed: Path, tmp_path: Path) -> None:
    """Traces stay good when another substrate is mended."""
    shutil.copytree(installed, tmp_path / "changed")
    (tmp_path / "changed" / name).write_text("other")

    assert digest(installed) == digest(tmp_path / "changed")
