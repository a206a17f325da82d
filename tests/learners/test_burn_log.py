"""The log on disk: what is in it, what breaks it, what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from hocket.games import registry
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import COLUMNS, EFFECT_FAIL, EXPLICIT, SUCCESS, TIMEOUT, Columns, Log, Manifest
from hocket.runtime.errors import LogError

MAKE_LOG = Callable[..., Log]


def plan(**changed: Any) -> Manifest:
    """The manifest of a small log of the pantry."""
    game = registry.make("pantry")
    fields: dict[str, Any] = {
        "seed": 1,
        "solo": 250,
        "team": 250,
        "steps": 20,
        "starts": "varied",
        "policy": "uniform",
    } | changed
    return manifest(game, registry.library(game), **fields)


@pytest.fixture(scope="module")
def log(burn: MAKE_LOG) -> Log:
    """Three chunks of the pantry, the last of them not full."""
    return burn(solo=250, team=250, steps=20)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_log_is_a_manifest_and_numbered_chunks(log: Log) -> None:
    """Nothing else lies about: files are renamed into place."""
    assert list(contents(log.path)) == ["chunk-00000.npz", "chunk-00001.npz", "chunk-00002.npz", "manifest.json"]
    assert [log.manifest.episodes(chunk) for chunk in range(3)] == [range(200), range(200, 400), range(400, 500)]
    assert log.missing() == []


def test_a_manifest_is_readable_and_says_all_that_the_log_depends_on(log: Log) -> None:
    """Game, library, options with their features, and every setting."""
    read = msgspec.json.decode((log.path / "manifest.json").read_bytes())

    assert read["game"] == {"kind": "pantry", "name": "pantry", "settings": {"seats": 2}}
    assert set(read["library"]) == {"name", "version", "digest"}
    assert [option["name"] for option in read["options"]] == [
        "wait",
        "fetch",
        "hand_over",
        "take",
        "open_hatch",
        "serve",
    ]
    assert read["options"][3]["reads"][1] == {"name": "table", "values": ["empty", "some", "full"], "own": False}
    assert [read[key] for key in ("seed", "solo", "team", "steps", "starts", "policy")] == [
        1, 250, 250, 20, "varied", "uniform",
    ]  # fmt: skip
    assert (log.path / "manifest.json").read_text().count("\n") > 50


def test_columns_are_plain_numpy_of_the_declared_types(log: Log) -> None:
    """Whoever has numpy can read a log without hocket."""
    with np.load(log.path / "chunk-00000.npz", allow_pickle=False) as archive:
        columns = {name: archive[name] for name in archive.files}

    assert set(columns) == {*COLUMNS, "targets", "reasons"}
    assert {name: columns[name].dtype for name in COLUMNS} == {name: np.dtype(kind) for name, kind in COLUMNS.items()}
    assert len({columns[name].shape for name in COLUMNS}) == 1
    assert columns["reasons"].tolist() == ["TableEmpty"]
    fixtures = {"fetch@0,2", "hand_over@3,0", "take@3,0", "open_hatch@6,2", "serve@6,2"}
    assert set(columns["targets"].tolist()) == {"wait", *fixtures}


def test_columns_mean_what_the_module_says(log: Log) -> None:
    """Each is held against what the pantry's rules allow."""
    options = [option.name for option in log.manifest.options]
    for columns in log.chunks():
        names = np.array(options)[columns["option"]]
        targets = np.array([target.partition("@")[0] for target in columns["targets"].tolist()])[columns["target"]]
        held = np.array(["jar" in "".join(log.manifest.options[int(option)].read_values()[int(code)].values())
                         for option, code in zip(columns["option"], columns["read"], strict=True)])  # fmt: skip
        fetched = (names == "fetch") & (columns["outcome"] == SUCCESS)
        assert (names == targets).all()
        assert (columns["step"] + columns["ticks"] <= 20).all()
        assert (columns["ticks"] >= 1).all()
        assert (columns["ticks"][columns["outcome"] >= EXPLICIT] == 1).all()
        assert (names[columns["outcome"] >= EXPLICIT] == "take").all()
        assert (columns["changed"][fetched] == 1).all()
        assert not held[fetched].any()
        assert (columns["outcome"][(names == "fetch") & held] == EFFECT_FAIL).all()
        assert not (columns["outcome"] == TIMEOUT).any()


def test_records_come_in_order_of_episode_then_end_then_seat(log: Log) -> None:
    """So a log has one order, whoever played it."""
    for columns in log.chunks():
        ends = columns["step"].astype(int) + columns["ticks"]
        order = np.lexsort((columns["seat"], ends, columns["episode"]))
        assert (order == np.arange(len(order))).all()


def test_a_log_that_was_begun_is_gone_on_with(log: Log, tmp_path: Path) -> None:
    """Chunks that are there are not played again, those that are not are the same as ever."""
    begun = Log.begin(tmp_path / "log", log.manifest)
    begun.write(1, log.read(1))
    stamp = (tmp_path / "log" / "chunk-00001.npz").stat().st_mtime_ns
    told: list[int] = []

    again = Log.begin(tmp_path / "log", log.manifest)
    missing = again.missing()
    burn_in(again, progress=told.append)

    assert missing == [0, 2]
    assert told == [200, 200, 100]
    assert (tmp_path / "log" / "chunk-00001.npz").stat().st_mtime_ns == stamp
    assert contents(tmp_path / "log") == contents(log.path)


def test_other_settings_do_not_go_on_with_a_log(log: Log, tmp_path: Path) -> None:
    """A log is of one kind throughout."""
    Log.begin(tmp_path, plan())

    for changed in ({"seed": 2}, {"steps": 21}, {"team": 251}, {"starts": "standard"}, {"policy": "narrow"}):
        with pytest.raises(LogError, match="holds another log: name a new folder, or the same settings"):
            Log.begin(tmp_path, plan(**changed))


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    """A log is not strewn over somebody's home."""
    (tmp_path / "thesis.tex").touch()

    with pytest.raises(LogError, match="is not empty, and holds no burn-in log"):
        Log.begin(tmp_path, plan())

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """One sentence, whether a file is in the way of the folder or of a folder above it."""
    (tmp_path / "file").touch()

    for place in (tmp_path / "file", tmp_path / "file" / "log"):
        with pytest.raises(LogError, match=r"cannot be written: (file exists|not a directory)"):
            Log.begin(place, plan())


def test_a_chunk_that_cannot_be_written_leaves_nothing(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk gives one sentence and no half chunk."""
    begun = Log.begin(tmp_path, log.manifest)

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(LogError, match=r"burn-in log .*: cannot be written: no space left on device"):
        begun.write(0, log.read(0))

    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
    assert begun.missing() == [0, 1, 2]


def test_a_missing_chunk_is_named(log: Log, tmp_path: Path) -> None:
    """A log that was broken off is not taken for a whole one."""
    begun = Log.begin(tmp_path, log.manifest)
    begun.write(0, log.read(0))

    for use in (lambda: list(begun.chunks()), begun.digest):
        with pytest.raises(LogError, match=r"is not whole: chunk-00001\.npz is missing"):
            use()


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "empty"])
def test_a_chunk_that_is_cut_short_or_damaged_is_named(log: Log, tmp_path: Path, damage: str) -> None:
    """Half a log gives no guards."""
    begun = Log.begin(tmp_path, log.manifest)
    begun.write(0, log.read(0))
    path = tmp_path / "chunk-00000.npz"
    raw = path.read_bytes()
    middle = len(raw) // 2
    flipped = raw[:middle] + bytes([raw[middle] ^ 0xFF]) + raw[middle + 1 :]
    path.write_bytes({"cut": raw[:middle], "flipped": flipped, "text": b"onions\n", "empty": b""}[damage])

    with pytest.raises(LogError, match=r"chunk-00000\.npz is cut short or damaged"):
        begun.read(0)


def _spoil(columns: Columns, name: str, value: int) -> Columns:
    spoiled = columns[name].copy()
    spoiled[0] = value
    return columns | {name: spoiled}


@pytest.mark.parametrize(
    ("name", "value"), [("episode", 200), ("option", 6), ("target", 99), ("read", 2), ("sense", 2), ("outcome", 200)]
)
def test_a_chunk_of_another_log_is_refused(log: Log, tmp_path: Path, name: str, value: int) -> None:
    """A number that stands for nothing would be counted for something."""
    begun = Log.begin(tmp_path, log.manifest)
    columns = log.read(0)
    if name == "read":
        columns = _spoil(columns, "option", 1)

    begun.write(0, _spoil(columns, name, value))

    with pytest.raises(LogError, match=r"chunk-00000\.npz is no chunk of this log"):
        begun.read(0)


def test_columns_of_other_types_or_lengths_are_refused(log: Log, tmp_path: Path) -> None:
    """A float is no tick, and a column of two rows says nothing of a third."""
    begun = Log.begin(tmp_path, log.manifest)
    columns = log.read(0)

    for other in (
        {"ticks": columns["ticks"].astype(float)},
        {"ticks": columns["ticks"][:2]},
        {"ticks": np.array(3, dtype=np.uint16)},
    ):
        begun.write(0, columns | other)
        with pytest.raises(LogError, match="is no chunk of this log"):
            begun.read(0)


def test_a_chunk_without_records_is_a_chunk(log: Log, tmp_path: Path) -> None:
    """In very short episodes nothing may come to its end."""
    begun = Log.begin(tmp_path, log.manifest)
    columns = {name: column[:0] for name, column in log.read(0).items()}

    begun.write(0, columns)

    assert {name: column.shape for name, column in begun.read(0).items()} == dict.fromkeys(columns, (0,))


def test_a_digest_does_not_depend_on_the_compression(log: Log, tmp_path: Path) -> None:
    """Another version of zlib leaves other bytes of the same records."""
    other = Log.begin(tmp_path, log.manifest)
    for chunk in range(3):
        arrays: dict[str, Any] = log.read(chunk)
        np.savez(tmp_path / f"chunk-{chunk:05d}.npz", **arrays)

    assert contents(tmp_path) != contents(log.path)
    assert other.digest() == log.digest()


def test_a_digest_changes_with_any_record_and_with_the_manifest(log: Log, tmp_path: Path) -> None:
    """Guards name the log that they come from by it."""
    digests = {log.digest()}
    for number, (name, value) in enumerate((("seat", 7), ("ticks", 19), ("changed", 9))):
        other = Log.begin(tmp_path / str(number), log.manifest)
        for chunk in range(3):
            other.write(chunk, _spoil(log.read(chunk), name, value) if chunk == 2 else log.read(chunk))
        digests.add(other.digest())
    other = Log.begin(tmp_path / "seed", plan(seed=2))
    for chunk in range(3):
        other.write(chunk, log.read(chunk))

    assert len(digests | {other.digest()}) == 5


def test_a_folder_without_a_manifest_is_no_log(tmp_path: Path) -> None:
    """It says what is missing."""
    with pytest.raises(LogError, match="has no manifest: no such file or directory"):
        Log(tmp_path)


@pytest.mark.parametrize("raw", [b"", b"{}", b"[1]", b'{"schema": 1}', b'{"schema": "1"}', b"\xff\xfe"])
def test_a_manifest_that_is_none_is_said(tmp_path: Path, raw: bytes) -> None:
    """Whatever stands in the file."""
    (tmp_path / "manifest.json").write_bytes(raw)

    with pytest.raises(LogError, match="its manifest cannot be read: "):
        Log(tmp_path)
    with pytest.raises(LogError, match="its manifest cannot be read: "):
        Log.begin(tmp_path, plan())


def test_a_newer_schema_is_named_though_it_has_fields_that_nobody_knows(tmp_path: Path) -> None:
    """Not "unknown field", which would tell the reader nothing."""
    (tmp_path / "manifest.json").write_bytes(b'{"schema": 2, "moon": "full"}')

    with pytest.raises(LogError, match="is of schema 2, but this version reads 1"):
        Log(tmp_path)
