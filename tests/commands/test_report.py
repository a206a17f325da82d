"""The command of a report: where the page goes, and what is said where it cannot."""

import sys
from pathlib import Path

import pytest
from tests.commands.conftest import Call
from tests.learners.report.made import played, recorded, written


def test_a_folder_becomes_a_page(call: Call, kitchen: Path) -> None:
    """Beside what it is of, or where it is asked for; a page that is there is no obstacle."""
    recorded(kitchen / "traces", count=1)

    first = call("report", "traces")
    again = call("report", "traces", "--out", "page.html")

    assert (first.code, first.out) == (0, "report: traces/report.html\n")
    assert again.code == 0
    assert (kitchen / "traces" / "report.html").read_bytes() == (kitchen / "page.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), "nowhere: is not there"),
        (("empty",), "empty: holds nothing to report"),
        (("traces", "--out", "nowhere/page.html"), "its folder is not there"),
        (("traces", "--out", "empty"), "is a folder"),
        (("traces", "--out", "traces/0.jsonl"), "does not end in .html"),
    ],
)
def test_a_mistake_is_one_sentence(call: Call, kitchen: Path, words: tuple[str, ...], said: str) -> None:
    """And nothing is written."""
    recorded(kitchen / "traces", count=1)
    (kitchen / "empty").mkdir()
    before = {path: path.read_bytes() for path in kitchen.rglob("*") if path.is_file()}

    found = call("report", *words)

    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1
    assert {path: path.read_bytes() for path in kitchen.rglob("*") if path.is_file()} == before


def test_a_damaged_trace_leaves_the_old_page(call: Call, kitchen: Path) -> None:
    """And is named."""
    path = written(played("pantry", ("ada", "bo")), kitchen / "traces" / "0.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"tick":12', b'"tick":13', 1))
    (kitchen / "traces" / "report.html").write_text("old")

    found = call("report", "traces")

    assert found.code == 2
    assert "traces/0.jsonl, event" in found.err
    assert (kitchen / "traces" / "report.html").read_text() == "old"


@pytest.mark.parametrize("package", ["scipy", "matplotlib.figure", "jinja2"])
def test_what_is_not_installed_is_said(
    call: Call, kitchen: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """Before anything is read."""
    monkeypatch.setitem(sys.modules, package, None)

    found = call("report", "nowhere")

    assert found.code == 2
    assert "pip install 'hocket[report]'" in found.err
