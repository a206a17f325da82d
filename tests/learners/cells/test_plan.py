"""The file of an evaluation: what it may say, and one sentence for each mistake."""

from pathlib import Path

import pytest

from hocket.learners.cells.place import CAPACITIES, INTERFACES, ROWS, Place, backbone, grid
from hocket.learners.cells.plan import Entry, Protocol, read_plan
from hocket.learners.cells.published import deviations
from hocket.learners.config import SEED_FLOOR
from hocket.runtime.errors import UsageError


def written(folder: Path, content: str) -> Path:
    """Write a file of an evaluation."""
    path = folder / "cells.toml"
    path.write_text(content, "utf-8")
    return path


def test_what_is_not_said_is_the_papers_protocol(tmp_path: Path) -> None:
    """Twenty episodes on seeds 10,000 to 10,019, and folders beside the file."""
    plan = read_plan(written(tmp_path, '[[cell]]\nrun = "runs/a"\n'))

    assert list(plan.protocol.seeds) == list(range(10_000, 10_020))
    assert deviations(plan.protocol, {}) == ()
    assert plan.entries == (Entry(run="runs/a"),)
    assert plan.beside("runs/a") == tmp_path / "runs/a"


def test_another_protocol_is_said() -> None:
    """A table must not pass for the paper's."""
    protocol = Protocol(episodes=5, first_seed=7, steps=60, starts="varied")

    told = deviations(protocol, {"cleanup": 60, "pantry": 60})

    lengths = ("60 ticks of cleanup instead of 150", "60 ticks of pantry")
    assert told == ("5 episodes", "seeds from 7", "varied starts", *lengths)
    assert deviations(Protocol(), {"cleanup": 150, "pantry": 60}) == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no [[cell]]: nothing is to be evaluated"),
        ("cell", "is no TOML"),
        ('[[cells]]\nrun = "a"', "there is no key of"),
        ('[[cell]]\ncapcity = "a"', "there is no key of [[cell]] 1 'capcity' (nearest: capacity)"),
        ('[protocol]\nepisode = 3\n[[cell]]\nrun = "a"', "'episode' (nearest: episodes"),
        ("[[cell]]\nrun = 3", "cell 1.run: expected"),
        ('[[cell]]\npreset = "a"\ninterface = "meny"', "there is no interface 'meny' (nearest: menu)"),
        ('[[cell]]\npreset = "a"\ncapacity = "shard"', "there is no capacity 'shard' (nearest: shared"),
        ('[[cell]]\nrun = "a"\n[[cell]]\ncapacity = "shared"', "cell 2: it says nothing of who plays"),
        ('[[cell]]\nrun = "a"\nruns = ["b"]', "cell 1: it has run and runs"),
        ('[[cell]]\nruns = ["b", "a", "b"]', "cell 1: it has b twice: that is one training seed"),
        ('[[cell]]\nrun = "a"\nadapters = ["b"]', "cell 1: it has a run and adapters"),
        ('[[cell]]\npreset = "a"\nadapters = "shiped"', "adapters is 'shiped', but must be \"shipped\" or a list"),
        ('[[cell]]\npreset = "a"\nlearned_from = "b"', "it has learned_from, but no run"),
        ('[protocol]\nepisodes = 1\n[[cell]]\nrun = "a"', "protocol.episodes is 1, but must be 2 or more"),
        (f'[protocol]\nfirst_seed = {SEED_FLOOR - 19}\n[[cell]]\nrun = "a"', "training seeds begin there"),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    """Before anything is read that it names."""
    path = written(tmp_path, content)

    with pytest.raises(UsageError) as raised:
        read_plan(path)

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_grid_is_every_interface_and_capacity_of_what_is_named() -> None:
    """Of each backbone and game there is anything of; the published rows first."""
    named = [Place("a", "x", "menu", "private"), Place("b", "y", "menu", "frozen"), Place("a", "x", "json", "frozen")]

    found = list(grid(named))

    assert list(dict.fromkeys((each.backbone, each.game) for each in found)) == [("a", "x"), ("b", "y")]
    whole = {(interface, capacity) for interface in INTERFACES for capacity in CAPACITIES}
    assert {(each.interface, each.capacity) for each in found[:9]} == whole
    assert len(found) == 18
    assert next(iter(ROWS)) == (found[0].interface, found[0].capacity) == ("native", "frozen")


def test_a_backbone_has_a_name_whether_it_is_there_or_not() -> None:
    """The folder's own, so that what is published is found before the base is."""
    assert [backbone(base) for base in ("llm", "llm:smollm2", "llm:models/Qwen3-4B-Instruct-2507")] == [
        "embedded",
        "smollm2",
        "Qwen3-4B-Instruct-2507",
    ]
