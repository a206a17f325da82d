"""A burn-in log: a folder of numbered chunks of columns, and a manifest.

A record is one option that was carried out to its end. A chunk holds the records of
a fixed range of episodes as compressed NumPy columns, and is a function of the
manifest and its own number, so a log can be broken off, gone on with, and shared
out among processes without a byte of it changing.

Axes: R records of a chunk, in order of episode, then of the tick at which they ended,
then of seat.

    episode  uint32  step   uint16  tick at which it began    seat   uint8
    option   uint8   place among the manifest's options       target uint16 place among the chunk's `targets`
    read     uint16  the features that guards may read, as place in the product of their values
    sense    uint16  the features that pass, likewise
    changed  uint8   of a success: whether any read feature of the seat's own differed at the end
    outcome  uint8   0 success, 1 effect_fail, 2 timeout, 3 + place among the chunk's `reasons`
    ticks    uint16  how long it ran
"""

import io
import zipfile
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import LogError
from hocket.runtime.game import GameSpec
from hocket.runtime.option import Feature, Library
from hocket.runtime.whole_file import write_whole

COLUMNS: dict[str, type[np.unsignedinteger[Any]]] = {
    "episode": np.uint32,
    "step": np.uint16,
    "seat": np.uint8,
    "option": np.uint8,
    "target": np.uint16,
    "read": np.uint16,
    "sense": np.uint16,
    "changed": np.uint8,
    "outcome": np.uint8,
    "ticks": np.uint16,
}
SUCCESS, EFFECT_FAIL, TIMEOUT, EXPLICIT = range(4)
EPISODES = 200
"""Episodes in a chunk."""
SCHEMA = 1
_LEVEL = 1
"""Of compression: numpy's own default makes files a tenth smaller, in seven times the time."""

Columns: TypeAlias = dict[str, NDArray[Any]]


class LoggedOption(msgspec.Struct, frozen=True):
    """What a log says of an option."""

    name: str
    private: bool
    reads: tuple[Feature, ...]
    senses: tuple[Feature, ...]

    @property
    def changes(self) -> bool:
        """Whether it reads something of the seat's own, so that a private change can be seen."""
        return any(feature.own for feature in self.reads)

    def read_values(self) -> list[dict[str, str]]:
        """Return what each code of `read` stands for: feature to value, in the order of the codes."""
        return _values(self.reads)

    def sense_values(self) -> list[dict[str, str]]:
        """Return what each code of `sense` stands for."""
        return _values(self.senses)


def _values(features: tuple[Feature, ...]) -> list[dict[str, str]]:
    names = [feature.name for feature in features]
    return [dict(zip(names, values, strict=True)) for values in product(*(feature.values for feature in features))]


class _Schema(msgspec.Struct, frozen=True):
    """What is read of a manifest first: a newer one may have fields that this version does not know."""

    schema: int


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a burn-in log depends on."""

    schema: int
    game: GameSpec
    library: LibraryMark
    options: tuple[LoggedOption, ...]
    policy: str
    """`uniform`, or `narrow` for the control."""
    seed: int
    solo: int
    """Episodes 0 to solo - 1 have one acting seat, each in turn."""
    team: int
    """Episodes in which every seat acts, after those."""
    steps: int
    """Length of an episode, in ticks."""
    starts: str

    @property
    def chunks(self) -> int:
        """How many chunks the whole log has."""
        return -(-(self.solo + self.team) // EPISODES)

    def episodes(self, chunk: int) -> range:
        """Return the episodes of one chunk."""
        return range(chunk * EPISODES, min((chunk + 1) * EPISODES, self.solo + self.team))


def logged_options(library: Library[Any]) -> tuple[LoggedOption, ...]:
    """Describe a library's options as a manifest does."""
    return tuple(LoggedOption(each.name, each.private, each.reads, each.senses) for each in library.options)


def encoded(manifest: Manifest) -> bytes:
    """Return a manifest as canonical JSON: the same for one that was read and one that was made."""
    return msgspec.json.encode(manifest, order="sorted")


class RunningDigest:
    """The digest of a log, made up as its chunks go by in their order."""

    def __init__(self, manifest: Manifest) -> None:
        self._running = blake2b(encoded(manifest), digest_size=8)

    def add(self, columns: Columns) -> Columns:
        """Take in a chunk, and hand it on."""
        for name in (*COLUMNS, "targets", "reasons"):
            self._running.update(columns[name].tobytes())
        return columns

    @property
    def digits(self) -> str:
        """What has gone by, as 16 hexadecimal digits."""
        return self._running.hexdigest()


class Log:
    """A burn-in log on disk, whole or begun."""

    def __init__(self, path: Path | str) -> None:
        """Read the manifest.

        Raises:
            LogError: there is no burn-in log, or one of a newer schema.
        """
        self.path = Path(path)
        try:
            raw = (self.path / "manifest.json").read_bytes()
        except OSError as error:
            raise LogError(log=path, problem=f"has no manifest: {(error.strerror or 'unreadable').lower()}") from error
        try:
            schema = msgspec.json.decode(raw, type=_Schema).schema
            if schema != SCHEMA:
                raise LogError(log=path, problem=f"is of schema {schema}, but this version reads {SCHEMA}")
            self.manifest = msgspec.json.decode(raw, type=Manifest)
        except msgspec.DecodeError as error:
            raise LogError(log=path, problem=f"its manifest cannot be read: {error}") from error

    @classmethod
    def begin(cls, path: Path | str, manifest: Manifest) -> "Log":
        """Open a log to be written: a new one, or one that was begun with the same manifest.

        Raises:
            LogError: the folder holds another log, or something else, or cannot be written.
        """
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / "manifest.json").exists():
                log = cls(folder)
                if encoded(log.manifest) != encoded(manifest):
                    raise LogError(log=path, problem="holds another log: name a new folder, or the same settings")
                return log
            if any(not each.name.startswith(".") for each in folder.iterdir()):
                raise LogError(log=path, problem="is not empty, and holds no burn-in log")
            write_whole(folder / "manifest.json", msgspec.json.format(encoded(manifest)) + b"\n")
        except OSError as error:
            raise LogError(log=path, problem=f"cannot be written: {(error.strerror or str(error)).lower()}") from error
        return cls(folder)

    def missing(self) -> list[int]:
        """Return the chunks that are not there yet."""
        return [chunk for chunk in range(self.manifest.chunks) if not self._chunk(chunk).exists()]

    def write(self, chunk: int, columns: Mapping[str, NDArray[Any]]) -> None:
        """Write a chunk, whole or not at all.

        Raises:
            LogError: the folder cannot be written.
        """
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name, column in columns.items():
                array = io.BytesIO()
                np.lib.format.write_array(array, column, allow_pickle=False)
                entry = zipfile.ZipInfo(f"{name}.npy")
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, array.getvalue(), compresslevel=_LEVEL)
        try:
            write_whole(self._chunk(chunk), content.getvalue())
        except OSError as error:
            raise LogError(
                log=self.path, problem=f"cannot be written: {(error.strerror or str(error)).lower()}"
            ) from error

    def read(self, chunk: int) -> Columns:
        """Read a chunk: each of `COLUMNS`, shape [R], and the lists `targets` and `reasons`.

        Raises:
            LogError: it is missing, cut short, or no chunk of this log.
        """
        path = self._chunk(chunk)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                columns = {name: archive[name] for name in (*COLUMNS, "targets", "reasons")}
        except FileNotFoundError as error:
            raise LogError(log=self.path, problem=f"is not whole: {path.name} is missing") from error
        except Exception as error:
            problem = f"{path.name} is cut short or damaged ({error}): remove it, and the same burn-in makes it again"
            raise LogError(log=self.path, problem=problem) from error
        if not self._holds(chunk, columns):
            raise LogError(log=self.path, problem=f"{path.name} is no chunk of this log")
        return columns

    def _holds(self, chunk: int, columns: Columns) -> bool:
        """Whether columns are what this chunk can hold: of one length and type, and within their tables."""
        sizes = [len(option.read_values()) for option in self.manifest.options]
        senses = [len(option.sense_values()) for option in self.manifest.options]
        shapes = {columns[name].shape for name in COLUMNS}
        types = all(columns[name].dtype == kind for name, kind in COLUMNS.items())
        if not types or len(shapes) != 1 or len(shape := shapes.pop()) != 1:
            return False
        if shape == (0,):
            return True
        episodes, option = self.manifest.episodes(chunk), columns["option"]
        return bool(
            columns["episode"].min() >= episodes.start
            and columns["episode"].max() < episodes.stop
            and option.max() < len(sizes)
            and (columns["read"] < np.array(sizes)[option]).all()
            and (columns["sense"] < np.array(senses)[option]).all()
            and columns["target"].max() < len(columns["targets"])
            and columns["outcome"].max() < EXPLICIT + len(columns["reasons"])
        )

    def chunks(self) -> Iterator[Columns]:
        """Yield every chunk in order; memory holds one at a time."""
        for chunk in range(self.manifest.chunks):
            yield self.read(chunk)

    def digest(self) -> str:
        """Digest the manifest and every record, as 16 hexadecimal digits, whatever the compression."""
        running = RunningDigest(self.manifest)
        for columns in self.chunks():
            running.add(columns)
        return running.digits

    def _chunk(self, chunk: int) -> Path:
        return self.path / f"chunk-{chunk:05d}.npz"
