"""`hocket train`: what it prints, and one sentence for each mistake."""

import json
import sys
from pathlib import Path

import pytest
from tests.commands.conftest import Call

from hocket.learners.metrics import Curves, Telling
from hocket.learners.preset import names
from hocket.learners.round import learn

SHORT = ("rounds=2", "rollouts.cohort=4", "evaluation.episodes=2", "lora.rank=4")


def words(*more: str) -> list[str]:
    """A short run of the two-role pantry."""
    return ["train", "pantry-tiny", *(part for change in SHORT for part in ("--set", change)), *more]


def test_a_run_ends_in_one_object(call: Call) -> None:
    """For a script: the game's own points, what was done, and how long it took; nothing else is printed."""
    outcome = call(*words("--out", "run", "--quiet", "--json"))

    told = json.loads(outcome.out)
    assert outcome.code == 0
    assert outcome.err == ""
    assert told["best_return"] == 4.0
    assert 0 <= told["final_return"] <= 4
    assert told["rounds"] == 2
    assert told["seconds"] > 0
    assert told["events"].keys() <= {"delivered"}
    assert set(told["adapters"]) == {"0", "1"}
    assert told == json.loads(Path("run/result.json").read_bytes())


def test_a_run_tells_its_rounds_and_how_to_play_what_came_of_it(call: Call) -> None:
    """A line a round where there is no terminal; then the seats, ready to be copied."""
    outcome = call(*words("--out", "run"))

    assert outcome.code == 0
    assert "round 1/2: return " in outcome.out
    assert "seat 0: llm#run/adapters/seat0@v" in outcome.out
    seat = outcome.out.partition("seat 0: ")[2].split()[0]
    assert call("play", "pantry:roles", "--seat", f"0={seat}", "--seat", "1=llm", "--json").code == 0


def test_metrics_are_lines_of_json_and_curves(call: Call) -> None:
    """A line a round, with what each adapter did; and a file for TensorBoard."""
    call(*words("--out", "run", "--quiet"))

    rows = [json.loads(row) for row in Path("run/metrics.jsonl").read_text("utf-8").splitlines()]
    assert [row["round"] for row in rows] == [0, 1]
    assert {"kl", "clipped", "entropy", "loss", "gradient"} <= set(rows[0]["updated"]["seat0"])
    assert sum(rows[0]["shares"]["1"].values()) == pytest.approx(1.0)
    assert list(Path("run/tensorboard").glob("events.out.tfevents.*"))


def test_presets_are_listed_for_a_script(call: Call) -> None:
    """Every key of every preset, or of one as it was changed."""
    every, one = call("train", "--list", "--json"), call("train", "--list", "pantry-tiny", "--set", "seed=3", "--json")

    assert tuple(json.loads(every.out)) == names()
    listed = json.loads(one.out)["pantry-tiny"]
    assert listed["seed"] == {"value": 3, "source": "given"}
    assert listed["update.shaping"]["value"] == {}
    shaping = json.loads(every.out)["overcooked-aa-tiny"]["update.shaping"]
    assert shaping == {"value": {"potted": 3.0}, "source": "ours"}


def test_presets_are_listed_with_their_numbers(call: Call) -> None:
    """Every one; what the paper states is told from what is ours."""
    outcome = call("train", "--list")

    assert outcome.code == 0
    assert all(name in outcome.out for name in names())
    assert "in brackets: ours" in outcome.out


def test_one_preset_is_listed_key_by_key(call: Call) -> None:
    """With values that are given now."""
    outcome = call("train", "--list", "overcooked-aa-qwen3-4b", "--set", "rounds=7")

    lines = {line.split()[0]: line.split()[-1] for line in outcome.out.splitlines() if line.strip()}
    assert lines["rollouts.cohort"] == "paper"
    assert lines["lora.alpha"] == "ours"
    assert lines["rounds"] == "given"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train"], "PRESET is missing: one of cleanup-"),
        (["train", "pantry-tiny"], "--out is missing: the folder that the run is kept in"),
        (["train", "pantri-tiny", "--out", "run"], "there is no preset 'pantri-tiny' (nearest: pantry-tiny"),
        (words("--out", "run", "--set", "rollouts.cohrt=3"), "(nearest: rollouts.cohort"),
        (words("--out", "run", "--resume"), "run: is no run: it has no run.json"),
        (words("--out", "run", "--from", "nowhere"), "nowhere/v0 holds no traces"),
        (words("--out", "run", "--from", "x", "--url", "http://127.0.0.1:1"), "left out with --from"),
        (words("--out", "run", "--url", "nonsense"), "nonsense"),
        (words("--out", "/dev/null/run"), "cannot be written"),
        (["train", "cleanup-qwen3-4b", "--out", "run"], "model Qwen3-4B-Instruct-2507: there is no such folder"),
    ],
)
def test_a_mistake_is_one_sentence(call: Call, arguments: list[str], said: str) -> None:
    """Exit code 2, no traceback."""
    outcome = call(*arguments)

    assert outcome.code == 2
    assert said in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_a_preset_is_known_by_what_it_says(call: Call) -> None:
    """Named by another path it is the same, and under the same name it may be another."""
    preset = Path("mine.toml")
    preset.write_text('extends = "pantry-tiny"', "utf-8")
    short = words("--out", "run", "--quiet")[2:]

    first = call("train", "mine.toml", *short)
    moved = call("train", preset.resolve(), *short, "--resume")
    preset.write_text('extends = "pantry-tiny"\nkeep = { value = 7, source = "ours" }', "utf-8")
    changed = call("train", "mine.toml", *short, "--resume")

    assert (first.code, moved.code, moved.err) == (0, 0, "")
    assert (changed.code, changed.err) == (
        2,
        "hocket: run: was begun with another configuration: keep was 2 and is 7\n",
    )


def test_points_for_an_event_that_never_happened_are_told(call: Call) -> None:
    """Perhaps it is misspelt; what did happen stands beside it."""
    outcome = call(*words("--out", "run", "--quiet", "--set", 'update.shaping={"deliverd": 1, "delivered": 1}'))

    assert outcome.code == 0
    assert outcome.err == ("hocket: update.shaping: no deliverd in the first round; what happened: delivered\n")


def test_tensorboard_is_asked_for_before_anything_is_played(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round may take minutes, and would be lost."""
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)

    outcome = call(*words("--out", "run"))

    sentence = "curves for TensorBoard needs the extra 'learn': pip install 'hocket[learn]'"
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"hocket: {sentence}\n")
    assert not Path("run").exists()


def test_a_full_disk_under_the_curves_names_them(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not standard output, which has room; the round before them is kept, and the run goes on."""
    sound = Curves.add

    def full(self: Curves, telling: Telling) -> None:
        Path("run/tensorboard").mkdir()
        Path("run/tensorboard/events.out.tfevents.0000000000").symlink_to("/dev/full")
        sound(self, telling)

    with monkeypatch.context() as filled:
        filled.setattr(Curves, "add", full)
        outcome = call(*words("--out", "run", "--quiet"))
    then = call(*words("--out", "run", "--quiet", "--resume"))

    place = "run/tensorboard/events.out.tfevents.0000000000"
    sentence = f"training stopped: {place} cannot be written: no space left on device"
    assert (outcome.code, outcome.err) == (2, f"hocket: {sentence}\n")
    assert then.code == 0


def test_an_interrupted_run_goes_on(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves what was finished, and says so by its exit code."""
    rounds = []
    sound = learn

    def stopped(*args: object) -> object:
        rounds.append(1)
        if len(rounds) == 2:
            raise KeyboardInterrupt
        return sound(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("hocket.learners.loop.learn", stopped)
    first = call(*words("--out", "run", "--quiet"))
    then = call(*words("--out", "run", "--quiet", "--json", "--resume"))

    assert first.code == 130
    assert then.code == 0
    assert json.loads(then.out)["rounds"] == 2
