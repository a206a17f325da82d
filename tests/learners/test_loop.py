"""The loop: it learns, goes on bit for bit, and mistakes leave the last good adapters."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import torch
from tests.learners.training import SHORT, adapters, trained, training

from hocket.agents.adapter import read_adapter
from hocket.agents.named_base import find_base
from hocket.learners import magrpo
from hocket.learners.cohort import Played
from hocket.learners.preset import read_preset
from hocket.learners.stage import LocalTroupe, Scene, Stage
from hocket.replays.rerun import rerun
from hocket.replays.trace import encode_trace, read_trace
from hocket.runtime.errors import (
    AdapterError,
    CohortError,
    HocketError,
    PresetError,
    SettingError,
    TrainingError,
    UnknownNameError,
    UsageError,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was left alone, with its rollouts on record and every adapter kept."""
    folder = tmp_path_factory.mktemp("run") / "whole"
    trained(folder, "rollouts.record=true", "keep=9")
    return folder


def test_private_adapters_take_two_roles(tmp_path: Path) -> None:
    """The paper's claim in small: each seat its own adapter, prompts alike, and the team divides the work."""
    told = trained(tmp_path / "run", "rounds=10", "rollouts.cohort=16", "lora.rank=16", "evaluation.episodes=20")

    result = json.loads((tmp_path / "run/result.json").read_bytes())
    assert told[0].team_return < 1.5
    assert result["final_return"] >= 0.95 * 4
    assert [max(shares.values()) for shares in told[-1].shares.values()] == pytest.approx([1.0, 1.0], abs=0.05)
    assert {max(shares, key=lambda name: shares[name]) for shares in told[-1].shares.values()} == {"wash", "serve"}


def test_the_same_seed_gives_the_same_adapters_byte_for_byte(whole: Path, tmp_path: Path) -> None:
    """Another run of the same configuration; all chance is from the seed."""
    trained(tmp_path / "again", "rollouts.record=true", "keep=9")

    assert adapters(tmp_path / "again") == adapters(whole)


@pytest.mark.parametrize("channel", ["initialisation", "rollouts", "order"])
def test_each_channel_of_chance_is_its_own(whole: Path, tmp_path: Path, channel: str) -> None:
    """Another seed in one channel leaves the first thing that the others decide as it was."""
    trained(tmp_path / "other", "rounds=1", "rollouts.record=true", f"seeds.{channel}=77", "update.minibatch=3")
    alike = {
        "the adapters at the start": adapters(tmp_path / "other")["seat0@v0"] == adapters(whole)["seat0@v0"],
        "the seeds of the episodes": _names(tmp_path / "other") == _names(whole),
    }

    assert alike["the adapters at the start"] == (channel != "initialisation")
    assert alike["the seeds of the episodes"] == (channel != "rollouts")
    assert adapters(tmp_path / "other")["seat0@v1"] != adapters(whole)["seat0@v1"]


def _names(run: Path) -> list[str]:
    return [path.name for path in sorted((run / "traces/v0").iterdir()) if "timing" not in path.name]


def test_rollouts_of_a_cohort_begin_alike(tmp_path: Path) -> None:
    """Where a round has several cohorts, each has a start of its own, of which no other round has any."""
    trained(
        tmp_path / "run",
        "game.name=pantry",
        "game.starts=varied",
        "rollouts.groups=2",
        "rollouts.steps=9",
        "rollouts.record=true",
        "rounds=2",
    )

    paths = sorted((tmp_path / "run/traces").glob("*/*.zst"))
    starts = [read_trace(path).header.starts for path in paths]
    cohorts = [set(starts[first : first + 4]) for first in range(0, 16, 4)]
    assert [len(each) for each in cohorts] == [1, 1, 1, 1]
    assert len(set.union(*cohorts)) == 4
    assert all(each.startswith("varied:") for each in starts)


def test_rollouts_are_compared_within_their_cohort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start from which every rollout gets more is no merit of theirs."""
    trained(tmp_path / "as-it-is", "rollouts.groups=2", "rounds=1")
    play = LocalTroupe.play

    def favoured(self: LocalTroupe, scenes: Sequence[Scene], folder: Path | None) -> list[Played]:
        played = play(self, scenes, folder)
        return [
            msgspec.structs.replace(each, rewards=tuple(reward + 3.0 * (place < 4) for reward in each.rewards))
            for place, each in enumerate(played)
        ]

    monkeypatch.setattr(LocalTroupe, "play", favoured)
    trained(tmp_path / "favoured", "rollouts.groups=2", "rounds=1")
    trained(tmp_path / "together", "rollouts.cohort=8", "rounds=1")

    assert adapters(tmp_path / "favoured") == adapters(tmp_path / "as-it-is") != adapters(tmp_path / "together")


def test_a_library_is_picked_by_the_seed(tmp_path: Path) -> None:
    """The paper's first channel: the seed selects one of several option libraries."""
    libraries = 'game.libraries=["default","stations","errands"]'
    found = {Stage(read_preset("overcooked-aa-tiny", [libraries, f"seed={seed}"]).config).library for seed in range(5)}

    assert len(found) > 1


def test_learning_from_traces_is_learning_from_the_rollouts(whole: Path, tmp_path: Path) -> None:
    """The learner hears events, wherever they come from: the adapters are the same, byte for byte."""
    trained(tmp_path / "heard", "rollouts.record=true", "keep=9", traces=whole / "traces")

    assert adapters(tmp_path / "heard") == adapters(whole)


def test_recorded_cohorts_go_by_their_starts(tmp_path: Path) -> None:
    """Not by the number of files: one that is missing puts no other into another cohort; side files are none."""
    changes = ("game.name=pantry", "game.starts=varied", "rollouts.groups=2", "rollouts.steps=60", "rounds=1")
    trained(tmp_path / "run", *changes, "rollouts.record=true")
    traces = tmp_path / "run/traces"
    first, *_ = sorted((traces / "v0").iterdir())
    first.unlink()
    (traces / "v0" / "0001-1.timing.jsonl").write_text("{}\n", "utf-8")

    again = trained(tmp_path / "again", *changes, traces=traces)

    assert len(again[0].returns) == 7
    assert again[0].refused == ()
    for path in sorted((traces / "v0").glob("*.zst"))[1:3]:
        path.unlink()
    alone = trained(tmp_path / "alone", *changes, traces=traces)
    assert len(alone[0].returns) == 4
    assert ["is the only one left of its cohort" in each for each in alone[0].refused] == [True]


def test_a_run_does_not_go_on_from_rollouts_of_elsewhere(whole: Path, tmp_path: Path) -> None:
    """Its file says whether it learned from its own: half and half would be neither."""
    trained(tmp_path / "read", "keep=9", "rollouts.record=true", traces=whole / "traces")

    with pytest.raises(PresetError, match="recorded was true and is false"):
        training(tmp_path / "read", "keep=9", "rollouts.record=true", resume=True)

    assert json.loads((tmp_path / "read/run.json").read_bytes())["recorded"] is True
    assert json.loads((whole / "run.json").read_bytes())["recorded"] is False


def test_a_trace_counts_once(whole: Path, tmp_path: Path) -> None:
    """Under another name, and stored in another way, it is the same rollout."""
    shutil.copytree(whole / "traces", tmp_path / "traces")
    first, *_ = sorted((tmp_path / "traces/v0").glob("*.zst"))
    trace = read_trace(first)
    (tmp_path / "traces/v0/again.jsonl").write_bytes(encode_trace(trace.header, trace.events))

    with pytest.raises(CohortError, match=rf"v0/again\.jsonl is the same trace as .*v0/{first.name}"):
        trained(tmp_path / "run", traces=tmp_path / "traces")


def test_a_torn_trace_is_refused_by_its_name(whole: Path, tmp_path: Path) -> None:
    """It is a file that is broken, not a decision; so is one that ends too early, at the end of a line."""
    shutil.copytree(whole / "traces", tmp_path / "traces")
    for path in sorted((tmp_path / "traces/v0").glob("*.zst"))[:2]:
        trace = read_trace(path)
        path.with_suffix("").write_bytes(encode_trace(trace.header, trace.events[:-1]))
        path.unlink()
    short, torn = sorted((tmp_path / "traces/v0").glob("*.jsonl"))
    torn.write_bytes(torn.read_bytes()[:-20])

    told = trained(tmp_path / "run", "rounds=1", traces=tmp_path / "traces")

    seeds = [read_trace(path).header.seed for path in (short, torn)]
    lines = torn.read_bytes().count(b"\n") + 1
    assert told[0].refused == (
        f"the rollout of seed {seeds[0]} cannot be learned from: {short}: it did not go on to its end",
        f"the rollout of seed {seeds[1]} cannot be learned from: {torn} is torn: it breaks off within line {lines}",
    )


def test_traces_of_other_adapters_are_refused(whole: Path, tmp_path: Path) -> None:
    """They are decisions of somebody else: nothing may be learned from them as if they were one's own."""
    with pytest.raises(CohortError, match=r"0 of 4 rollouts can be learned from.*not by the adapter that learns"):
        trained(tmp_path / "stranger", "seed=5", traces=whole / "traces")

    assert not (tmp_path / "stranger").exists()


def test_recorded_rollouts_run_again(whole: Path) -> None:
    """A rollout for learning is an episode like any other."""
    paths = sorted((whole / "traces/v1").glob("*.zst"))

    assert len(paths) == 4
    assert all(rerun(read_trace(path)).agrees for path in paths)


def test_adapters_are_peft_folders_with_canary_and_style(whole: Path) -> None:
    """So they can be served, checked, and asked as they were when they learned."""
    adapter = read_adapter(whole / "adapters/seat0@v3", find_base(""))

    assert adapter.canary is not None
    assert adapter.style is not None
    assert adapter.style.scorer == "text"
    assert adapter.canary.distinct("float32")


@pytest.mark.parametrize("stops", [(0.5, 0.4, 0.7)])
def test_a_run_killed_three_times_goes_on_bit_for_bit(whole: Path, tmp_path: Path, stops: tuple[float, ...]) -> None:
    """Kill -9 at any moment loses at most the round under way, and changes nothing."""
    run = tmp_path / "killed"
    words = [sys.executable, "-m", "hocket", "train", "pantry-tiny", "--out", str(run), "--quiet"]
    for change in (*SHORT, "rollouts.record=true", "keep=9"):
        words += ["--set", change]

    killed = 0
    for number, pause in enumerate(stops):
        process = subprocess.Popen([*words, *(["--resume"] if number else [])], stderr=subprocess.DEVNULL)
        target = run / "adapters" / f"seat1@v{number + (number > 0)}"
        until = time.monotonic() + 120
        while not target.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(pause / 10)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    done = subprocess.run([*words, "--resume"], check=False, capture_output=True)

    assert done.returncode == 0, done.stderr
    assert killed >= 2
    assert adapters(run) == adapters(whole)
    rows = [json.loads(row)["round"] for row in (run / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert rows == [0, 1, 2]


def test_another_configuration_cannot_go_on(whole: Path) -> None:
    """It says what is different, so that one can put it right."""
    with pytest.raises(
        PresetError, match=r"another configuration: seed was 0 and is 3; update.clip was 0.2 and is 0.3"
    ):
        training(whole, "rollouts.record=true", "keep=9", "seed=3", "update.clip=0.3", resume=True)


def test_a_run_that_is_over_can_be_gone_on_with(whole: Path) -> None:
    """It evaluates again, and trains no more."""
    before = adapters(whole)

    told = trained(whole, "rollouts.record=true", "keep=9", resume=True)

    assert told == []
    assert adapters(whole) == before


def _exchange(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def _damage(run: Path, how: str) -> None:
    weights, optimiser = run / "adapters/seat1@v3/adapter_model.safetensors", run / "optimisers/seat1@v3.safetensors"
    state, metrics = run / "state.json", run / "metrics.jsonl"
    match how:
        case "other weights":
            shutil.copy(run / "adapters/seat1@v2/adapter_model.safetensors", weights)
        case "a torn optimiser":
            optimiser.write_bytes(optimiser.read_bytes()[:100])
        case "optimisers that were exchanged":
            _exchange(optimiser, optimiser.with_name("seat0@v3.safetensors"))
        case "no optimiser":
            optimiser.unlink()
        case "other numbers in a line":
            metrics.write_bytes(metrics.read_bytes().replace(b'"without_spread": 0.0', b'"without_spread": 0.5', 1))
        case "best adapters that were exchanged":
            best = msgspec.json.decode(state.read_bytes())["best"]["round"]
            _exchange(run / f"adapters/seat0@v{best}", run / f"adapters/seat1@v{best}")
        case "an older state":
            state.write_bytes(msgspec.json.encode(msgspec.json.decode(state.read_bytes()) | {"round": 2}))
        case "no state":
            state.unlink()
        case "an empty state":
            state.write_text("{}", "utf-8")
        case "a torn line":
            metrics.write_bytes(metrics.read_bytes()[:-50])
        case _:
            (run / "run.json").write_text("[" * 5000, "utf-8")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("other weights", "seat1@v3 is not what the run saved: its digest is "),
        ("a torn optimiser", "optimisers/seat1@v3.safetensors is not what the run saved: its digest is "),
        ("optimisers that were exchanged", "optimisers/seat0@v3.safetensors is not what the run saved"),
        ("no optimiser", "optimisers/seat1@v3.safetensors cannot be read: no such file"),
        ("other numbers in a line", "metrics.jsonl is not what the run saved"),
        ("best adapters that were exchanged", "adapters/seat0@v. is not what the run saved"),
        ("an older state", "metrics.jsonl is not what the run saved"),
        ("no state", "its state.json is missing, so it cannot go on"),
        ("an empty state", "its state.json does not read"),
        ("a torn line", "its metrics.jsonl has 2 whole lines, but 3 rounds were played"),
        ("a deep run", "its run.json does not read"),
    ],
)
def test_a_damaged_run_is_refused_and_loses_nothing(whole: Path, tmp_path: Path, how: str, said: str) -> None:
    """It would end elsewhere, and nobody would know; and whoever can mend it finds everything as it was."""
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    (run / "adapters/.gitignore").write_text("*", "utf-8")
    (run / "adapters/mine@v99").mkdir()
    _damage(run, how)
    before = {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}

    with pytest.raises(PresetError, match=said):
        training(run, "rollouts.record=true", "keep=9", resume=True)

    assert {path: path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()} == before


def test_the_adapter_that_a_run_began_with_is_held_against_its_digest(tmp_path: Path) -> None:
    """Where it is the reference, another one is another loss."""
    run, changes = tmp_path / "run", ("rounds=1", "update.kl=0.1", "update.reference=initial")
    trained(run, *changes)
    state = msgspec.json.decode((run / "state.json").read_bytes())
    (run / "state.json").write_bytes(msgspec.json.encode(state | {"best": None}))
    _exchange(run / "adapters/seat0@v0", run / "adapters/seat1@v0")

    with pytest.raises(PresetError, match="adapters/seat0@v0 is not what the run saved: its digest is "):
        training(run, *changes, resume=True)


def test_a_run_cut_off_in_its_first_round_makes_its_adapters_again(whole: Path, tmp_path: Path) -> None:
    """Nothing says yet what they were, so whatever lies there is not relied on."""
    run = tmp_path / "run"
    with training(run, "rollouts.record=true", "keep=9"):
        pass
    _exchange(run / "adapters/seat0@v0", run / "adapters/seat1@v0")

    trained(run, "rollouts.record=true", "keep=9", resume=True)

    assert adapters(run) == adapters(whole)


def test_what_is_not_the_run_s_own_stays(whole: Path, tmp_path: Path) -> None:
    """A run that goes on removes what it left itself, and nothing else."""
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    (run / "adapters/.gitignore").write_text("*", "utf-8")
    (run / "adapters/mine@v99").mkdir()
    (run / "adapters/seat0@v9").mkdir()
    (run / "optimisers/.seat0@v9.safetensors.77").write_text("torn", "utf-8")

    with training(run, "rollouts.record=true", "keep=9", resume=True):
        pass

    assert (run / "adapters/.gitignore").exists()
    assert (run / "adapters/mine@v99").exists()
    assert not (run / "adapters/seat0@v9").exists()
    assert not (run / "optimisers/.seat0@v9.safetensors.77").exists()


def test_the_best_is_evaluated_as_it_played(whole: Path, tmp_path: Path) -> None:
    """Adapters that were exchanged between seats are another team."""
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    best = json.loads((run / "state.json").read_bytes())["best"]["round"]
    one, other = (run / f"adapters/seat{seat}@v{best}" for seat in (0, 1))
    one.rename(tmp_path / "one")
    other.rename(one)
    (tmp_path / "one").rename(other)

    with pytest.raises(PresetError, match="is not what the run saved"):
        trained(run, "rollouts.record=true", "keep=9", resume=True)


def test_a_run_that_is_refused_in_its_first_round_leaves_nothing(tmp_path: Path) -> None:
    """The mistake is mended, and the same folder can be used; a folder that was there stays, empty."""
    (tmp_path / "run").mkdir()

    with pytest.raises(CohortError, match="holds no traces"):
        trained(tmp_path / "run", traces=tmp_path / "nowhere")

    assert list((tmp_path / "run").iterdir()) == []


def test_rollouts_on_record_outlive_a_refusal(tmp_path: Path) -> None:
    """Nothing that was recorded is lost, though nothing could be learned from it."""
    with pytest.raises(CohortError, match="0 of 4 rollouts can be learned from"):
        trained(tmp_path / "run", "rollouts.record=true", "update.receipt_tolerance=0")

    assert len(list((tmp_path / "run/traces/v0").iterdir())) == 4


def test_traces_that_were_asked_in_another_way_are_refused(whole: Path, tmp_path: Path) -> None:
    """What an adapter would learn from them is not how it is asked afterwards."""
    with pytest.raises(CohortError, match=r"asked with profile brief and scorer text .* not how this run asks"):
        trained(tmp_path / "run", "model.scorer=letter", traces=whole / "traces")


def test_weights_that_are_no_numbers_are_not_saved(tmp_path: Path) -> None:
    """A step can leave them even where loss and gradient are sound."""
    with pytest.raises(TrainingError, match=r"weights that are no numbers \(seat0@v0, epoch 0, minibatch 0\)"):
        trained(tmp_path / "run", "optimiser.epsilon=1e-300")

    assert set(adapters(tmp_path / "run")) == {"seat0@v0", "seat1@v0"}


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    """Whatever it is, it is not ours to change."""
    (tmp_path / "mine.txt").write_text("mine", "utf-8")

    with pytest.raises(PresetError, match="is there already, and is not empty"):
        training(tmp_path)


def test_resuming_what_is_no_run_is_refused(tmp_path: Path) -> None:
    """A folder without a configuration says nothing of what to go on with."""
    with pytest.raises(PresetError, match=r"is no run: it has no run\.json"):
        training(tmp_path, resume=True)


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    """Each would write the other's adapters."""
    with training(tmp_path / "run"), pytest.raises(PresetError, match="another process is training there"):
        training(tmp_path / "run", resume=True)


def test_equal_returns_change_nothing_and_it_is_said(tmp_path: Path) -> None:
    """One tick of the pantry: nobody can score in it."""
    told = trained(tmp_path / "run", "rounds=1", "rollouts.steps=1", "game.name=pantry", "game.best_return=null")

    first, then = (adapters(tmp_path / "run")[f"seat0@v{number}"] for number in (0, 1))
    assert told[0].without_spread == 1
    assert told[0].updated == {}
    assert first == then
    assert json.loads((tmp_path / "run/result.json").read_bytes())["without_spread"] == 1.0


def test_shaping_teaches_where_nobody_scores_and_is_no_return(tmp_path: Path) -> None:
    """A bonus for game events moves adapters until it has faded; what is reported stays the game's own points."""
    scoreless = ("rounds=2", "rollouts.steps=8", "game.name=pantry", "game.best_return=null")

    told = trained(
        tmp_path / "run", *scoreless, 'update.shaping={"picked_up": 1, "never": 9}', "update.shaping_rounds=1"
    )

    assert [each.team_return for each in told] == [0.0, 0.0]
    assert [each.without_spread for each in told] == [0.0, 1.0]
    assert [bool(each.updated) for each in told] == [True, False]
    assert [each.unheard for each in told] == [("never",), ("never",)]


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the batch, and the last good adapters are kept: nothing is quietly replaced."""
    sound = magrpo.surrogate
    calls = []

    def poisoned(log_probs: torch.Tensor, *others: object) -> torch.Tensor:
        calls.append(1)
        value: torch.Tensor = sound(log_probs, *others)  # type: ignore[arg-type]
        return value * float("nan") if len(calls) > 6 else value

    monkeypatch.setattr(magrpo, "surrogate", poisoned)

    with pytest.raises(TrainingError, match=r"the loss is nan \(seat1@v1, epoch 0, minibatch 0\)"):
        trained(tmp_path / "run")

    state = json.loads((tmp_path / "run/state.json").read_bytes())
    assert state["round"] == 1
    base = find_base("")
    assert read_adapter(tmp_path / "run/adapters/seat1@v1", base).digest == state["digests"]["seat1"]


def test_a_full_disk_stops_with_a_sentence(tmp_path: Path) -> None:
    """The last checkpoint stays whole, and the run can go on once there is room."""
    run = tmp_path / "run"
    trained(run, "rounds=1", "keep=9")
    before = adapters(run)
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from tests.learners.training import trained\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from hocket.runtime.errors import HocketError\n"
        "try:\n"
        "    trained(Path(sys.argv[1]), 'rounds=1', 'keep=9', 'seed=2')\n"
        "except HocketError as error:\n"
        "    print(type(error).__name__, error)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "full")],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONSAFEPATH": "1"},
    )

    assert "cannot be written: " in done.stdout, done.stderr
    assert "Error" in done.stdout.split()[0]
    assert adapters(run) == before
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        (("game.name=clenup",), UnknownNameError, "there is no game 'clenup'"),
        (("model.base=llm:nowhere",), HocketError, "there is no such folder"),
        (("model.base=llm#ada@v0",), SettingError, "a model without an adapter"),
        (("model.scorer=json",), SettingError, "cell.interface=json beside it"),
        (('lora.targets=["c_attn"]',), AdapterError, "has no layer for c_attn"),
        (("lora.blocks=[0, 7]",), AdapterError, "has no layer for block 7"),
        (('lora.targets=["q_proj", "nope"]',), AdapterError, "has no layer for nope"),
        (("evaluation.first_seed=1048575",), SettingError, "training seeds begin there"),
        (("game.settings.depth=3",), UnknownNameError, "setting of pantry"),
    ],
)
def test_a_run_that_cannot_begin_says_why(
    tmp_path: Path, changes: tuple[str, ...], error: type[HocketError], said: str
) -> None:
    """Before anything is played."""
    with pytest.raises(error, match=said.replace("'", ".")):
        training(tmp_path / "run", *changes)
    assert not (tmp_path / "run").exists()


def test_a_preset_for_a_game_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Some of the published presets are for a game that comes as an extra."""
    config = read_preset("cleanup-qwen3-4b").config
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    with pytest.raises(UsageError, match=r"Melting Pot"):
        Stage(config)


def test_a_shared_adapter_learns_from_every_seat(tmp_path: Path) -> None:
    """One name, both seats, twice the decisions."""
    told = trained(tmp_path / "run", "rounds=1", preset="pantry-tiny-shared")

    assert list(told[0].updated) == ["team"]
    assert told[0].updated["team"]["decisions"] == 4 * 4 * 2


def test_a_frozen_team_is_evaluated_and_changes_nothing(tmp_path: Path) -> None:
    """The cell without training has no rounds."""
    told = trained(tmp_path / "run", "cell.capacity=frozen")

    result = json.loads((tmp_path / "run/result.json").read_bytes())
    assert told == []
    assert result["rounds"] == 0
    assert result["adapters"] == {}
    assert adapters(tmp_path / "run") == {}


@pytest.mark.parametrize(
    "changes",
    [
        ("cell.interface=json",),
        ("cell.interface=json", "model.grammar=true", "update.credit=reply"),
        ("cell.interface=native",),
        ("model.scorer=two_line",),
        ("model.scorer=letter",),
        ("model.scorer=paper", "model.grammar=true"),
        ("model.scorer=generate", "model.grammar=true", "update.credit=reply"),
        ("model.scorer=generate", "model.grammar=true"),
        ("update.kl=0.1",),
        ("update.kl=0.1", "update.reference=initial"),
        ("update.advantage=to_go", "update.average=rollouts", "update.order=played", "update.forced=include"),
        ("lora.blocks=[1]", "update.checkpointing=true"),
    ],
)
def test_every_cell_and_scorer_learns_something(tmp_path: Path, changes: tuple[str, ...]) -> None:
    """A round changes the adapters, and receipts agree with what the learner computes."""
    told = trained(tmp_path / "run", "rounds=1", "update.no_spread=keep", "update.entropy=0.01", *changes)

    assert told[0].refused == ()
    assert told[0].difference < 1e-3
    assert told[0].updated["seat0"]["decisions"] > 0
    weights = adapters(tmp_path / "run")
    assert weights["seat0@v0"] != weights["seat0@v1"]
