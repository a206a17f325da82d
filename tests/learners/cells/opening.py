"""Evaluations for tests: opened, played and looked into."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from hocket.learners.cells.ablation import Ablation
from hocket.learners.cells.place import Place
from hocket.learners.cells.report import Report

GAME = "pantry:roles"
FROZEN = '[[cell]]\npreset = "pantry-tiny"\ncapacity = "frozen"\n'
Opened: TypeAlias = Callable[..., Ablation]


def played(ablation: Ablation) -> Report:
    """Play it in this process."""
    return ablation.play(1, lambda number: None)


def changed(path: Path, **changes: Any) -> None:
    """Change fields of a JSON file."""
    found: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode(found | changes))


def only(report: Report, interface: str, capacity: str) -> Any:
    """Return one cell of the embedded base on the game of two roles."""
    return next(each for each in report.cells if each.place == Place("embedded", GAME, interface, capacity))


def why(ablation: Ablation) -> Sequence[str]:
    """Return why contestants do not play."""
    return [each.why for each in ablation.contestants]
