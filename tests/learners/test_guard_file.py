"""Guard files: what is written, what is read, and what does not fit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from hocket import __version__
from hocket.games import registry
from hocket.learners.burn_log import Log
from hocket.learners.guard_file import (
    GuardFile,
    decode_guards,
    encode_guards,
    fit,
    game_digest,
    read_guards,
    write_guards,
)
from hocket.learners.guards import synthesize
from hocket.runtime.errors import GuardError
from hocket.runtime.guard import REASON, Guard

MAKE_LOG: TypeAlias = Callable[..., Log]
PANTRY = registry.make("pantry")
LIBRARY = registry.library(PANTRY)


@pytest.fixture(scope="module")
def file(burn: MAKE_LOG) -> GuardFile:
    """The guards of the pantry, and some that were refused."""
    return synthesize(burn(solo=100, team=100))


def with_guard(file: GuardFile, guard: Guard) -> GuardFile:
    """Add a guard by hand."""
    return msgspec.structs.replace(file, guards=(*file.guards, guard))


def test_a_file_comes_back_as_it_was(file: GuardFile, tmp_path: Path) -> None:
    """Guards, support, refusals and origin."""
    write_guards(tmp_path / "guards.json", file)

    assert read_guards(tmp_path / "guards.json") == file
    assert [path.name for path in tmp_path.iterdir()] == ["guards.json"]


def test_a_file_is_readable_json(file: GuardFile) -> None:
    """`guards` is a list of option, channel, when and support; digests and versions stand beside it."""
    raw = encode_guards(file)
    read = json.loads(raw)

    assert read["guards"][0] == {
        "channel": "inferred", "option": "fetch", "support": file.guards[0].support, "when": {"held": "jar"},
    }  # fmt: skip
    assert {guard["channel"] for guard in read["guards"]} == {"inferred", "explicit"}
    assert {"when": {REASON: "TableEmpty"}}.items() <= next(
        guard for guard in read["guards"] if guard["channel"] == "explicit"
    ).items()
    assert (read["game"], read["hocket"], read["schema"], read["min_support"]) == ("pantry", __version__, 1, 5)
    assert set(read["log"]) == {"digest", "records", "seed", "solo", "team", "steps", "starts", "policy"}
    assert raw.count(b"\n") > 40
    assert raw.endswith(b"}\n")


def test_a_file_is_the_same_byte_for_byte_every_time(file: GuardFile, burn: MAKE_LOG) -> None:
    """CI makes the committed ones again and compares."""
    again = synthesize(burn(solo=100, team=100))

    assert encode_guards(again) == encode_guards(file)
    assert encode_guards(decode_guards(encode_guards(file), "again")) == encode_guards(file)


def test_a_file_fits_the_game_that_it_was_mined_on(file: GuardFile) -> None:
    """Its guards are handed out."""
    assert fit(file, PANTRY, LIBRARY, "guards.json") == file.guards


def test_a_file_of_another_game_does_not_fit(file: GuardFile) -> None:
    """Another layout, or the same with a changed price or number of seats."""
    for other in (registry.make("pantry:roles"), registry.make("pantry", {"seats": 3})):
        with pytest.raises(
            GuardError, match=r"guard on mine\.json: was mined on pantry, not on pantry.* as it is set here"
        ):
            fit(file, other, registry.library(other), "mine.json")


@pytest.mark.parametrize("changed", [{"digest": "0" * 16}, {"version": 2}, {"name": "other"}])
def test_a_file_of_another_library_does_not_fit(file: GuardFile, changed: dict[str, Any]) -> None:
    """By name, version or source."""
    other = msgspec.structs.replace(file, library=msgspec.structs.replace(file.library, **changed))

    with pytest.raises(
        GuardError, match=r"was mined for the library '\w+' version \d \([0-9a-f]{16}\), not for 'default'"
    ):
        fit(other, PANTRY, LIBRARY, "mine.json")


@pytest.mark.parametrize(
    ("guard", "sentence"),
    [
        (Guard("juggle", "inferred", {"held": "jar"}, 9), "the library 'default' has no such option"),
        (Guard("fetch", "inferred", {"moon": "full"}, 9), r"it reads no feature 'moon' \(it reads held\)"),
        (Guard("fetch", "inferred", {"held": "moon"}, 9), r"held is never 'moon' \(it is one of nothing, jar\)"),
        (Guard("fetch", "inferred", {}, 9), "a guard has 1 or 2 literals, not 0"),
        (Guard("fetch", "explicit", {"held": "jar"}, 9), "an explicit guard has __reason__ and nothing else"),
        (Guard("wait", "inferred", {"held": "jar"}, 9), "wait is always possible"),
    ],
)
def test_a_guard_that_means_nothing_here_does_not_fit(file: GuardFile, guard: Guard, sentence: str) -> None:
    """Even where the digests are right: somebody may have written in the file."""
    with pytest.raises(GuardError, match=sentence):
        fit(with_guard(file, guard), PANTRY, LIBRARY, "mine.json")


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"{}", b"\xff\xfe", b'{"schema": 1}', b'{"schema": "one"}', b'{"schema": 1, "guards": []'],
)
def test_what_is_no_guard_file_is_said(tmp_path: Path, raw: bytes) -> None:
    """Whatever stands in it."""
    (tmp_path / "mine.json").write_bytes(raw)

    with pytest.raises(GuardError, match=r"guard on .*mine\.json: is no guard file: "):
        read_guards(tmp_path / "mine.json")


def test_a_field_that_nobody_knows_is_said(file: GuardFile) -> None:
    """A guard with a typing error would hide nothing, in silence."""
    read = json.loads(encode_guards(file))
    read["guards"][0]["wen"] = read["guards"][0]["when"]

    with pytest.raises(GuardError, match="is no guard file: Object contains unknown field `wen`"):
        decode_guards(json.dumps(read).encode(), "mine.json")


def test_a_newer_schema_is_named_though_it_has_fields_that_nobody_knows() -> None:
    """Not "unknown field", which would tell the reader nothing."""
    with pytest.raises(GuardError, match=r"guard on mine\.json: is of schema 2, but this version reads 1"):
        decode_guards(b'{"schema": 2, "moon": "full"}', "mine.json")


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """None there, or a folder."""
    with pytest.raises(GuardError, match=r"guard on .*mine\.json: cannot be read: no such file or directory"):
        read_guards(tmp_path / "mine.json")
    with pytest.raises(GuardError, match="cannot be read: is a directory"):
        read_guards(tmp_path)


def test_a_file_that_cannot_be_written_is_said(
    file: GuardFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a file, into no folder, over a folder; nothing half written is left."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)

    for place in (tmp_path / "file" / "mine.json", tmp_path / "none" / "mine.json", tmp_path / "folder", Path()):
        with pytest.raises(GuardError, match="cannot be written: "):
            write_guards(place, file)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_game_digest_depends_on_kind_and_settings() -> None:
    """And not on how the game is called, nor on what steps it."""
    room = registry.make("overcooked:cramped_room")
    dear = registry.make("overcooked:cramped_room", {"cook_time": 7})
    renamed = msgspec.structs.replace(room.spec, name="another")
    stepped = msgspec.structs.replace(room.spec, settings=room.spec.settings | {"engine": "reference"})

    assert game_digest(renamed) == game_digest(stepped) == game_digest(room.spec)
    assert len({game_digest(each.spec) for each in (PANTRY, room, dear)}) == 3
