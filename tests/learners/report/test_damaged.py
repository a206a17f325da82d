"""Files with fields that are empty or null: a page, or one sentence."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from tests.learners.report.made import certified, evaluated, trained

from hocket.learners.report.report import report_page
from hocket.runtime.errors import FileError

Place: TypeAlias = tuple[str | int, ...]
MADE: dict[str, Callable[[Path], Path]] = {
    "certificate.json": certified,
    "results.json": lambda folder: evaluated(folder, 0, {"private": [(1.0, 3.0), (3.0, 5.0)], "frozen": [(0.0, 1.0)]}),
    "run.json": lambda folder: trained(folder, 1),
    "metrics.jsonl": lambda folder: trained(folder, 1),
    "result.json": lambda folder: trained(folder, 1),
}


def places(tree: Any, at: Place = ()) -> Iterator[Place]:
    """Where every field is; of a list, in the first of its items."""
    fields = tree.items() if isinstance(tree, dict) else enumerate(tree[:1]) if isinstance(tree, list) else ()
    for key, value in fields:
        yield (*at, key)
        yield from places(value, (*at, key))


def changed(tree: Any, at: Place, value: Any) -> Any:
    """A copy with one field changed."""
    copy = deepcopy(tree)
    holder = copy
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = value
    return copy


def sentence(folder: Path) -> str | None:
    """What is said where there is no page."""
    try:
        report_page(folder)
    except FileError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", MADE)
def test_whatever_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    """Each field in its turn is null, or an empty list."""
    path = MADE[name](tmp_path / "kept") / name
    tree = msgspec.json.decode(path.read_bytes())
    outcomes = {}

    empty: tuple[Any, ...] = (None, [])
    for at in places(tree):
        for value in empty:
            path.write_bytes(msgspec.json.encode(changed(tree, at, value)) + b"\n")
            outcomes[at, repr(value)] = sentence(tmp_path)

    refused = [said for said in outcomes.values() if said is not None]
    assert refused
    assert all(str(tmp_path / "kept") in said and "\n" not in said for said in refused)


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("certificate.json", ("seeds",), [], "Expected `array` of length >= 1 - at `$.seeds`"),
        ("certificate.json", ("seats",), [], "Expected `array` of length >= 1 - at `$.seats`"),
        ("certificate.json", ("team", "values"), [], "Expected `array` of length >= 1 - at `$.team.values`"),
        ("certificate.json", ("team", "estimate", "high"), None, "a low and a high end, or neither"),
        ("results.json", ("cells", 1, "estimate", "low"), None, "a low and a high end, or neither"),
        ("results.json", ("pairs", 0, "corrected"), None, "a p and a corrected one, or neither"),
        ("run.json", ("config", "game"), None, "its config names no game"),
        ("metrics.jsonl", ("updated", "seat0", "entropy"), [], "line 1 of its metrics.jsonl does not read"),
    ],
)
def test_what_cannot_be_together_is_refused(tmp_path: Path, name: str, at: Place, value: Any, said: str) -> None:
    """Half an interval is none, and nobody would notice."""
    path = MADE[name](tmp_path / "kept") / name
    tree = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode(changed(tree, at, value)) + b"\n")

    assert said in str(sentence(tmp_path))


def test_metrics_that_cannot_be_read_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As every other file is."""
    path = trained(tmp_path / "run") / "metrics.jsonl"
    read = Path.read_bytes

    def refused(self: Path) -> bytes:
        if self == path:
            raise PermissionError(13, "Permission denied")
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refused)

    assert sentence(tmp_path) == f"{path}: permission denied"
