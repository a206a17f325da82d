"""Every example runs, and prints what is recorded beside it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_is_recorded(example: Path) -> None:
    """Made again by: python examples/NAME.py > examples/NAME.txt."""
    ran = subprocess.run(
        [sys.executable, str(example)], cwd=ROOT, check=True, capture_output=True, text=True, timeout=120
    )

    assert ran.stdout == example.with_suffix(".txt").read_text("utf-8")


def test_every_example_fits_a_screen() -> None:
    """One screen each, and an output for each."""
    assert len(EXAMPLES) >= 3
    assert all(example.read_text("utf-8").count("\n") <= 60 for example in EXAMPLES)
    assert {path.stem for path in (ROOT / "examples").glob("*.txt")} == {path.stem for path in EXAMPLES}
