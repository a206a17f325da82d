"""The file of an evaluation: who plays in each cell, or why nobody does.

    [[cell]]
    run = "runs/aa"                     # or runs = ["runs/aa-0", "runs/aa-1"], one a training seed

    [[cell]]
    preset = "overcooked-aa-tiny"
    capacity = "frozen"

    [[cell]]
    preset = "overcooked-aa-tiny"
    interface = "json"
    missing = "not trained yet"

Folders are looked for beside the file. Whatever it says and we do not know is refused.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from hocket.learners.cells.place import CAPACITIES, INTERFACES
from hocket.learners.config import SEED_FLOOR, Count, Seed, Starts
from hocket.runtime.errors import FileError, SettingError, UnknownNameError
from hocket.runtime.struct_file import fitted, read_toml

SHIPPED = "shipped"
"""In the place of adapters: those that come with hocket."""
_NUMBERED = re.compile(r"cell\[(\d+)\]")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class Protocol(_Part, frozen=True, kw_only=True):
    """Which episodes each cell plays; the defaults are the paper's."""

    first_seed: Seed = 10_000
    episodes: Count = 20
    steps: Count | None = None
    """In ticks, of every game; what a run or preset says of its evaluation where left out, else the game's usual."""
    starts: Starts = "standard"

    @property
    def seeds(self) -> range:
        """The seeds of the episodes of a cell."""
        return range(self.first_seed, self.first_seed + self.episodes)


class Entry(_Part, frozen=True, kw_only=True):
    """One cell, as it stands in the file."""

    run: str | None = None
    """Folder of a run."""
    runs: tuple[str, ...] = ()
    """Folders of several, which differ in their training seed."""
    preset: str | None = None
    """What a cell without a run plays, and how."""
    base: str | None = None
    """Where the base lies, in place of what run or preset say: `llm:FOLDER`."""
    game: str | None = None
    interface: str | None = None
    capacity: str | None = None
    adapters: str | tuple[str, ...] | None = None
    """A folder a seat, one folder for a shared adapter, or `shipped`."""
    learned_from: str | None = None
    """Folder of the recorded rollouts that a run learned from (`hocket train --from`)."""
    missing: str | None = None
    """Why nobody plays."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The runs."""
        return self.runs if self.run is None else (self.run,)


class Plan(msgspec.Struct, frozen=True):
    """What an evaluation is of."""

    path: Path
    about: str
    protocol: Protocol
    entries: tuple[Entry, ...]

    def beside(self, named: str) -> Path:
        """Return a path that the file names."""
        return self.path.parent / named

    def problem(self, number: int, said: str) -> FileError:
        """Return the error of an entry, counted from 0."""
        return FileError(path=self.path, problem=f"cell {number + 1}: {said}")


class _Written(_Part, frozen=True, kw_only=True):
    about: str = ""
    protocol: Protocol = Protocol()
    cell: tuple[Entry, ...] = ()


def read_plan(path: Path) -> Plan:
    """Read the file of an evaluation.

    Raises:
        FileError: it does not read, or an entry does not say who plays.
        UnknownNameError: a key, an interface or a capacity that there is not.
        SettingError: numbers with which there is no interval, or that are training's.
    """
    tree = read_toml(path)
    _check_keys(path, tree)
    written = fitted(path, tree, _Written, lambda at: _NUMBERED.sub(lambda found: f"cell {int(found[1]) + 1}", at))
    _check_protocol(written.protocol)
    plan = Plan(path, written.about, written.protocol, written.cell)
    if not plan.entries:
        raise FileError(path=path, problem="has no [[cell]]: nothing is to be evaluated")
    for number, entry in enumerate(plan.entries):
        _check(plan, number, entry)
    return plan


def _check_keys(path: Path, tree: dict[str, Any]) -> None:
    """Refuse what is misspelt, with what there is."""
    for where, found, kind in _tables(path, tree):
        known = kind.__struct_fields__
        for key in found:
            if key not in known:
                raise UnknownNameError(kind=f"key of {where}", name=key, known=known)


def _tables(path: Path, tree: dict[str, Any]) -> Iterator[tuple[str, Iterable[str], type[msgspec.Struct]]]:
    yield str(path), tree, _Written
    if isinstance(tree.get("protocol"), dict):
        yield "[protocol]", tree["protocol"], Protocol
    cells = tree.get("cell")
    for number, each in enumerate(cells if isinstance(cells, list) else (), 1):
        if isinstance(each, dict):
            yield f"[[cell]] {number}", each, Entry


def _check_protocol(protocol: Protocol) -> None:
    if protocol.episodes < 2:
        right = "2 or more: one episode has no interval"
        raise SettingError(setting="protocol.episodes", value=protocol.episodes, right=right)
    if protocol.seeds.stop > SEED_FLOOR:
        right = f"below {SEED_FLOOR:,} with all episodes: training seeds begin there"
        raise SettingError(setting="protocol.first_seed", value=protocol.first_seed, right=right)


def _check(plan: Plan, number: int, entry: Entry) -> None:
    """Refuse an entry that cannot be meant.

    Raises:
        FileError: it does not say who plays, or says so twice.
        UnknownNameError: an interface or a capacity that there is not.
    """
    for kind, name, known in (("interface", entry.interface, INTERFACES), ("capacity", entry.capacity, CAPACITIES)):
        if name is not None and name not in known:
            raise UnknownNameError(kind=kind, name=name, known=known)
    if entry.run is not None and entry.runs:
        raise plan.problem(number, "it has run and runs: one or the other")
    if entry.folders and entry.adapters is not None:
        raise plan.problem(number, "it has a run and adapters: one or the other")
    if not entry.folders and entry.preset is None:
        raise plan.problem(number, "it says nothing of who plays: run, runs or preset is missing")
    if isinstance(entry.adapters, str) and entry.adapters != SHIPPED:
        raise plan.problem(number, f'adapters is {entry.adapters!r}, but must be "{SHIPPED}" or a list of folders')
    if entry.learned_from is not None and not entry.folders:
        raise plan.problem(number, "it has learned_from, but no run that could have learned")
    twice = [each for place, each in enumerate(entry.runs) if each in entry.runs[:place]]
    if twice:
        raise plan.problem(number, f"it has {twice[0]} twice: that is one training seed")
