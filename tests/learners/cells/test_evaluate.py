"""Who plays in an evaluation, and why somebody does not: checkpoints and held-out seeds."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from tests.learners.training import trained

from hocket.learners.cells.evaluate import Evaluation, Report
from hocket.learners.cells.place import Place
from hocket.learners.cells.plan import read_plan
from hocket.learners.match import trace_of
from hocket.learners.outcome import Outcome
from hocket.replays.rerun import rerun
from hocket.replays.trace import read_trace
from hocket.runtime.errors import UsageError

GAME = "pantry:roles"
FROZEN = '[[cell]]\npreset = "pantry-tiny"\ncapacity = "frozen"\n'
LEARNED_ON_A_MENU = """
[[cell]]
preset = "pantry-tiny"
interface = "json"
adapters = ["runs/0/adapters/seat0@v1", "runs/0/adapters/seat1@v1"]
"""
Opened: TypeAlias = Callable[..., Evaluation]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short runs that differ in their training seed."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        trained(folder / str(seed), "rounds=2", "rollouts.record=true", f"seed={seed}")
    return folder


@pytest.fixture
def opened(tmp_path: Path, runs: Path) -> Opened:
    """Open an evaluation of a file that lies beside copies of the runs."""
    shutil.copytree(runs, tmp_path / "runs")

    def opened(content: str, *, episodes: int = 2, **protocol: object) -> Evaluation:
        keys = "".join(f"{key} = {value}\n" for key, value in ({"episodes": episodes} | protocol).items())
        path = tmp_path / "cells.toml"
        path.write_text(f"[protocol]\n{keys}\n{content}", "utf-8")
        return Evaluation(read_plan(path), tmp_path / "out")

    return opened


def changed(path: Path, **changes: Any) -> None:
    """Change fields of a JSON file."""
    found: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode(found | changes))


def only(report: Report, interface: str, capacity: str) -> Any:
    """Return one cell of the embedded base on the game of two roles."""
    return next(each for each in report.cells if each.place == Place("embedded", GAME, interface, capacity))


def why(evaluation: Evaluation) -> Sequence[str]:
    """Return why contestants do not play."""
    return [each.why for each in evaluation.contestants]


def test_a_checkpoint_plays_what_its_run_has_seen_of_it(opened: Opened, tmp_path: Path) -> None:
    """The seeds, adapters, temperature and start of the run's own evaluation: the same returns, and a trace each."""
    report = opened('[[cell]]\nrun = "runs/0"\n' + FROZEN).play(1)

    run = msgspec.json.decode((tmp_path / "runs/0/result.json").read_bytes(), type=Outcome)
    learned, base = only(report, "menu", "private"), only(report, "menu", "frozen")
    assert learned.teams[0].returns == run.returns
    assert learned.teams[0].round == run.best_round
    assert set(learned.teams[0].adapters) == {folder.removeprefix("adapters/") for folder in run.adapters.values()}
    assert base.teams[0].adapters == {}
    traces = [read_trace(trace_of(tmp_path / "out" / learned.teams[0].traces, seed)) for seed in (10_000, 10_001)]
    assert all(rerun(trace).difference is None for trace in traces)
    assert [sum(trace.events[-1].returns) for trace in traces] == list(run.returns)  # type: ignore[union-attr]


def test_every_cell_of_the_grid_is_there_and_says_why_it_is_empty(opened: Opened) -> None:
    """Nine of a backbone and game, two of which were played; reasons of all others, in their own words."""
    waits = '[[cell]]\npreset = "pantry-tiny"\ninterface = "json"\nmissing = "waits for a GPU"\n'
    absent = '[[cell]]\npreset = "overcooked-aa-qwen3-4b"\ncapacity = "frozen"\n'

    report = opened('[[cell]]\nrun = "runs/0"\n' + FROZEN + waits + absent).play(1)

    told = {each.place: each.why for each in report.cells}
    assert len(report.cells) == 18
    assert sum(each.estimate is not None for each in report.cells) == 2
    assert all(bool(each.why) != bool(each.teams) for each in report.cells)
    assert told[Place("embedded", GAME, "json", "private")] == ("waits for a GPU",)
    assert told[Place("embedded", GAME, "native", "shared")] == ("not in cells.toml",)
    kitchen = Place("Qwen3-4B-Instruct-2507", "overcooked:asymmetric_advantages", "menu", "frozen")
    assert "there is no such folder" in told[kitchen][0]


def test_several_training_seeds_are_one_cell(opened: Opened) -> None:
    """Its mean and spread are over the seeds' means; the episodes are pooled beside that."""
    report = opened('[[cell]]\nruns = ["runs/0", "runs/1"]\n', episodes=3).play(1)

    found = only(report, "menu", "private")
    means = [sum(team.values) / 3 for team in found.teams]
    assert [team.source for team in found.teams] == ["runs/0", "runs/1"]
    assert (found.over_seeds.mean, found.over_seeds.count) == (pytest.approx(sum(means) / 2), 2)
    assert (found.estimate.mean, found.estimate.count) == (pytest.approx(sum(means) / 2), 6)


def test_a_run_without_a_positive_return_has_no_checkpoint(opened: Opened, tmp_path: Path) -> None:
    """Alone it is a dagger; among others it counts as the zero that it is, since leaving it out would flatter."""
    state = tmp_path / "runs/1/state.json"
    best = msgspec.json.decode(state.read_bytes())["best"]
    changed(state, best=best | {"team_return": 0.0})

    alone = opened('[[cell]]\nrun = "runs/1"\n').play(1)
    among = opened('[[cell]]\nruns = ["runs/0", "runs/1"]\n').play(1)

    empty, full = only(alone, "menu", "private"), only(among, "menu", "private")
    assert (empty.estimate, empty.collapsed) == (None, 1)
    assert empty.why == ("runs/1: none of its 2 rounds had a positive return: no checkpoint to evaluate",)
    assert full.over_seeds.mean == pytest.approx(full.estimate.mean / 2)
    assert any("1 of its training seeds collapsed, and count as 0" in line for line in among.said)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: (run / "state.json").unlink(), "runs/1: is still in its first round"),
        (lambda run: (run / "run.json").unlink(), "runs/1: is no run: it has no run.json"),
        (lambda run: (run / "run.json").write_text("{", "utf-8"), "runs/1: its run.json does not read"),
        (lambda run: changed(run / "run.json", base="0"), "was trained on base 0, but llm is"),
        (lambda run: changed(run / "run.json", game="0"), "pantry:roles is set otherwise here than there"),
    ],
)
def test_a_run_that_cannot_be_played_says_why_and_stops_nobody(
    opened: Opened, tmp_path: Path, damage: Callable[[Path], Any], said: str
) -> None:
    """Its place is known from its preset where its own files do not say."""
    damage(tmp_path / "runs/1")

    evaluation = opened('[[cell]]\nrun = "runs/1"\npreset = "pantry-tiny"\n' + FROZEN)

    assert said in why(evaluation)[0]
    assert [each.match is None for each in evaluation.contestants] == [True, False]
    assert evaluation.contestants[0].place == Place("embedded", GAME, "menu", "private")


@pytest.mark.parametrize(("capacity", "names"), [("shared", {"team"}), ("frozen", set())])
def test_a_run_of_another_capacity_plays_as_it_learned(
    opened: Opened, tmp_path: Path, capacity: str, names: set[str]
) -> None:
    """One adapter in every seat, or none: what the run's own evaluation had."""
    trained(tmp_path / "other", "rounds=1", f"cell.capacity={capacity}")

    found = only(opened('[[cell]]\nrun = "other"\n').play(1), "menu", capacity)

    run = msgspec.json.decode((tmp_path / "other/result.json").read_bytes(), type=Outcome)
    assert found.teams[0].returns == run.returns
    assert {name.partition("@")[0] for name in found.teams[0].adapters} == names


def test_a_run_that_goes_on_is_evaluated_at_its_best_so_far_and_that_is_said(opened: Opened, tmp_path: Path) -> None:
    """Later rounds may have a better checkpoint."""
    path = tmp_path / "runs/0/run.json"
    changed(path, config=msgspec.json.decode(path.read_bytes())["config"] | {"rounds": 9})

    [found] = opened('[[cell]]\nrun = "runs/0"\n').contestants

    assert found.match is not None
    assert found.said == ("runs/0 has not been trained to its end: its best of 2 rounds of 9",)


def test_what_a_run_removes_later_is_still_there(opened: Opened, tmp_path: Path) -> None:
    """Its checkpoint is kept beside the episodes, under a name that no other weights have."""
    evaluation = opened('[[cell]]\nrun = "runs/0"\n')
    shutil.rmtree(tmp_path / "runs/0/adapters")

    found = only(evaluation.play(1), "menu", "private").teams[0]

    seats = read_trace(trace_of(tmp_path / "out" / found.traces, 10_000)).header.seats
    assert seats == tuple(f"llm#seat{seat}@{digest[:8]}" for seat, digest in enumerate(found.adapters.values()))


def test_an_adapter_that_is_not_what_its_run_saved_is_not_played(opened: Opened, tmp_path: Path) -> None:
    """Weights of somebody else under the name of the checkpoint."""
    round_ = msgspec.json.decode((tmp_path / "runs/0/result.json").read_bytes())["best_round"]
    other = tmp_path / f"runs/1/adapters/seat0@v{round_}"
    ours = tmp_path / f"runs/0/adapters/seat0@v{round_}"
    shutil.rmtree(ours)
    shutil.copytree(other, ours)

    evaluation = opened('[[cell]]\nrun = "runs/0"\n')

    assert f"adapters/seat0@v{round_} is not what the run saved" in why(evaluation)[0]


def test_a_folder_that_is_no_run_has_no_place_unless_one_is_named(opened: Opened, tmp_path: Path) -> None:
    """It is told below the tables, and the others go on."""
    (tmp_path / "empty").mkdir()

    report = opened('[[cell]]\nrun = "empty"\n' + FROZEN).play(1)

    assert report.unplaced == ("empty: is no run: it has no run.json",)
    assert only(report, "menu", "frozen").estimate.count == 2


def test_a_seed_that_was_learned_from_is_refused(opened: Opened, tmp_path: Path) -> None:
    """A trace of the run's own that holds one, by name; and rollouts that it is said to have learned from."""
    recorded = next((tmp_path / "runs/0/traces/v0").glob("*.jsonl.zst"))
    renamed = recorded.with_name("0000-10001.jsonl.zst")
    base = opened(FROZEN)
    base.play(1)
    folder = Path("out/cells") / base.contestants[0].folder

    with pytest.raises(UsageError, match="cell 1: runs/0 learned from seed 10,000"):
        opened(f'[[cell]]\nrun = "runs/0"\nlearned_from = "{folder}"\n')
    recorded.rename(renamed)
    with pytest.raises(UsageError, match=r"runs/0 learned from seed 10,001 \(traces/v0/0000-10001"):
        opened('[[cell]]\nrun = "runs/0"\n')
    renamed.unlink()

    assert opened('[[cell]]\nrun = "runs/0"\n').contestants[0].match is not None


def test_a_run_that_learned_from_recorded_rollouts_is_said_to_have_unknown_seeds(
    opened: Opened, tmp_path: Path, runs: Path
) -> None:
    """It asked no model; nothing in its folder tells whose episodes they were, unless one names them."""
    trained(tmp_path / "recorded", "rounds=1", traces=runs / "0/traces")

    [silent] = opened('[[cell]]\nrun = "recorded"\n').contestants
    [named] = opened('[[cell]]\nrun = "recorded"\nlearned_from = "runs/0/traces"\n').contestants

    assert "recorded: its training seeds are not known: it learned from recorded rollouts" in silent.said[0]
    assert named.said == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[[cell]]\nrun = "runs/9"', "cell 1: runs/9: there is no such folder"),
        ('[[cell]]\nrun = "runs/0"\ninterface = "json"', "interface is json, but that of runs/0 is menu"),
        ('[[cell]]\nrun = "runs/0"\ngame = "cleanup"', "game is cleanup, but that of runs/0 is pantry:roles"),
        ('[[cell]]\nrun = "runs/0"\npreset = "pantry-tiny-shared"', "pantry-tiny-shared is embedded, pantry:roles"),
        (
            '[[cell]]\nrun = "runs/0"\n[[cell]]\nrun = "runs/1"',
            "cell 2: it is embedded, pantry:roles, menu, private, as",
        ),
        ('[[cell]]\nruns = ["runs/0", "./runs/0"]', "./runs/0 plays with what runs/0 plays with"),
        ('[[cell]]\npreset = "pantry-tinny"', "there is no preset 'pantry-tinny'"),
        ('[[cell]]\npreset = "pantry-tiny"', "its capacity is private, so it needs a run, adapters, or missing"),
        ('[[cell]]\npreset = "pantry-tiny"\ngame = "pantry"', "game is pantry, but pantry-tiny plays pantry:roles"),
        ('[[cell]]\npreset = "pantry-tiny"\nadapters = "shipped"', "no adapters come with hocket for pantry:roles"),
        ('[[cell]]\npreset = "pantry-tiny"\nadapters = ["a"]', "it names 1 adapters, but pantry:roles takes 2"),
        ('[[cell]]\npreset = "pantry-tiny"\nadapters = ["a", "b"]', "there is no such folder"),
        (f'{FROZEN}adapters = "shipped"', "its capacity is frozen, so it has no adapters"),
        (LEARNED_ON_A_MENU, "its interface is json, but its adapters learned with scorer text"),
    ],
)
def test_what_the_file_gets_wrong_stops_everything(opened: Opened, content: str, said: str) -> None:
    """One sentence, before an episode is played."""
    with pytest.raises(UsageError) as raised:
        opened(content)

    assert said in str(raised.value)


def test_adapters_can_be_named(opened: Opened, tmp_path: Path) -> None:
    """One a seat: what the run played with them comes out again, and the seeds of their run are known."""
    run = msgspec.json.decode((tmp_path / "runs/0/result.json").read_bytes(), type=Outcome)
    named = ", ".join(f'"runs/0/{folder}"' for folder in run.adapters.values())

    evaluation = opened(f'[[cell]]\npreset = "pantry-tiny"\nadapters = [{named}]\n')

    assert evaluation.contestants[0].said == ()
    assert only(evaluation.play(1), "menu", "private").teams[0].returns == run.returns


def test_the_adapters_that_come_along_are_known_by_name(opened: Opened) -> None:
    """Those of the game and library of the preset; their metrics say that they played above the floor."""
    evaluation = opened('[[cell]]\npreset = "overcooked-fc-tiny"\nadapters = "shipped"\n', steps=5)

    [found] = evaluation.contestants
    assert found.match is not None
    assert found.match.terms.library.name == "errands"
    assert [name.partition("@")[0] for name in found.adapters] == ["seat0", "seat1"]
    assert found.said == ()


def test_nothing_is_played_twice(opened: Opened, tmp_path: Path) -> None:
    """A second evaluation reads; with other weights under one name it would have other folders."""
    first = opened(FROZEN)
    told, again = list[int](), list[int]()

    once = first.play(1, told.append)
    twice = opened(FROZEN).play(1, again.append)

    assert once == twice
    assert (len(told), again) == (first.shares, [])
    assert len(list((tmp_path / "out/cells").iterdir())) == 1
