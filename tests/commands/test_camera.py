"""`--png` and `--gif`: the substrate's own pictures, and never at the cost of a trace."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.commands.conftest import Call
from tests.commands.growing import grow
from tests.games.meltingpot.worlds import needs_substrates
from tests.lamp import Lamp

from hocket.commands.camera import Camera
from hocket.replays.rerun import rerun
from hocket.replays.trace import read_trace
from hocket.runtime.errors import MissingExtraError
from hocket.runtime.events import EpisodeEnded

Start = Callable[..., "subprocess.Popen[str]"]

CLEANUP = ("play", "cleanup", "--seat", "0=scripted:cleaner", "--seat", "1=scripted:eater", "--quiet")
STEPS = 12


def _film(path: Path | str) -> list[tuple[bytes, int]]:
    """Return the frames of a GIF, and how many milliseconds each lasts."""
    from PIL import Image

    with Image.open(path) as film:
        found = []
        for number in range(getattr(film, "n_frames", 1)):
            film.seek(number)
            found.append((film.convert("RGB").tobytes(), film.info["duration"]))
    return found


@needs_substrates
def test_the_world_is_drawn_in_the_terminal(call: Call) -> None:
    """With each seat's lane below, in 80 columns."""
    outcome = call(*CLEANUP[:-1], "--steps", STEPS, "--trace", "ada.jsonl")

    lines = outcome.out.splitlines()
    assert lines[0].startswith(f"cleanup  tick {STEPS}/{STEPS}  return ")
    assert lines[2] == lines[22] == 60 * "#"
    assert all(line.startswith("##") and line.endswith("##") and len(line) == 60 for line in lines[2:23])
    assert [line.split()[:3] for line in lines[27:34]] == [
        ["seat", str(seat), holder] for seat, holder in enumerate(["scripted:cleaner", "scripted:eater", *["idle"] * 5])
    ]


@needs_substrates
def test_a_folder_of_frames_shows_every_tick_and_changes_nothing(call: Call, kitchen: Path) -> None:
    """The start and what each step came to, in the substrate's own pixels; the trace is that of an unfilmed episode."""
    from PIL import Image

    filmed = call(*CLEANUP, "--steps", STEPS, "--png", "frames", "--trace", "ada.jsonl")
    unfilmed = call(*CLEANUP, "--steps", STEPS, "--trace", "bo.jsonl")

    frames = [np.array(Image.open(kitchen / f"frames/{tick:05}.png")) for tick in range(STEPS + 1)]
    assert (filmed.code, unfilmed.code, filmed.err) == (0, 0, "")
    assert filmed.out.endswith("film: frames, 13 frames\n")
    assert Path("ada.jsonl").read_bytes() == Path("bo.jsonl").read_bytes()
    assert len(list(Path("frames").iterdir())) == STEPS + 1
    assert {frame.shape for frame in frames} == {(168, 240, 3)}
    assert len({frame.tobytes() for frame in frames}) > STEPS // 2


@needs_substrates
def test_a_film_can_be_made_of_a_trace_as_well(call: Call) -> None:
    """The same film; its rate is its own, whatever the pace of the episode."""
    played = call(*CLEANUP, "--steps", STEPS, "--gif", "ada.gif", "--trace", "ada.jsonl", "--json")
    again = call("rerun", "ada.jsonl", "--gif", "bo.gif")
    fast = call("rerun", "ada.jsonl", "--gif", "cy.gif", "--hz", "20", "--json")
    slow = call(*CLEANUP, "--steps", 2, "--gif", "di.gif", "--hz", "2", "--trace", "di.jsonl")

    assert [outcome.code for outcome in (played, again, fast, slow)] == [0] * 4
    assert msgspec.json.decode(played.out)["steps"] == STEPS
    assert msgspec.json.decode(fast.out)["agrees"]
    assert again.out.startswith("film: bo.gif, 13 frames\nada.jsonl agrees: ")
    assert Path("ada.gif").read_bytes() == Path("bo.gif").read_bytes()
    assert [frame for frame, _ in _film("cy.gif")] == [frame for frame, _ in _film("ada.gif")]
    assert [{lasting for _, lasting in _film(f"{name}.gif")} for name in ("ada", "cy", "di")] == [
        {120, 130},
        {50},
        {500},
    ]


@needs_substrates
def test_an_interrupted_episode_leaves_the_film_up_to_there(start: Start, kitchen: Path) -> None:
    """One frame more than its trace has steps."""
    words = ("--pace", "live", "--hz", "50", "--steps", "100000", "--trace", "ada.jsonl", "--gif", "ada.gif")
    process = start(*CLEANUP, *words)
    grow(kitchen / "ada.jsonl", 20_000)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)

    last = read_trace("ada.jsonl").events[-1]
    assert (process.returncode, err) == (130, "hocket: interrupted; the trace up to here is ada.jsonl\n")
    assert isinstance(last, EpisodeEnded)
    assert len(_film("ada.gif")) == last.tick + 1 > 2
    assert sorted(path.name for path in kitchen.iterdir()) == ["ada.gif", "ada.jsonl"]


@needs_substrates
def test_a_disk_that_fills_up_ends_the_film_and_not_the_episode(command: Path, kitchen: Path) -> None:
    """Its trace is whole; then the one sentence, and exit code 2. Here no file may grow beyond 64 KiB."""
    words = ["bash", "-c", 'ulimit -f 64; exec "$0" "$@"', str(command), *CLEANUP, "--json"]
    words += ["--steps", "20", "--trace", "ada.jsonl.zst", "--gif", "ada.gif"]

    process = subprocess.run(words, capture_output=True, text=True, check=False)

    frames = len(_film("ada.gif"))
    trace = read_trace("ada.jsonl.zst")
    assert (process.returncode, msgspec.json.decode(process.stdout)["steps"]) == (2, 20)
    assert 1 < frames < 20
    assert process.stderr == (
        f"hocket: ada.gif: cannot be written: file too large; the film ends before tick {frames}\n"
    )
    assert isinstance(trace.events[-1], EpisodeEnded)
    assert (trace.events[-1].reason, trace.torn) == ("horizon", False)
    assert rerun(trace).agrees
    assert sorted(path.name for path in kitchen.iterdir()) == ["ada.gif", "ada.jsonl.zst"]


@needs_substrates
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--png", "full"), "full: is not empty, and frames go to a folder of their own; name another"),
        (("--png", "ada.jsonl"), "ada.jsonl: is no folder; name one"),
        (("--png", "no/where"), "no/where: the folder no is not there"),
        (("--gif", "no/where.gif"), "no/where.gif: the folder no is not there"),
        (("--gif", "ada.jsonl"), "ada.jsonl: is there and is no GIF, so it is not replaced; name another file"),
        (("--gif", "ada.jsonl/a.gif"), "ada.jsonl/a.gif: cannot be written: not a directory"),
        (("--gif", "a.gif", "--png", "new"), "--gif is 'a.gif', but must be left out with --png: one or the other"),
        (("--gif", "a.gif", "--hz", "0"), "hz is 0.0, but must be a finite number of frames a second above 0"),
        (("--png", "new", "--hz", "9"), "--hz is 9.0, but must be left out in lockstep; --pace live has a rate"),
        (("--gif", "a.gif", "--trace", "no/where"), "no/where: the folder no is not there"),
        (("--png", "new", "--trace", "no/where"), "no/where: the folder no is not there"),
    ],
)
def test_a_mistake_gives_one_sentence_and_touches_nothing(
    words: tuple[str, ...], sentence: str, call: Call, kitchen: Path
) -> None:
    """Nothing is played; no film, no folder is left, and an older trace is as it was."""
    (kitchen / "full").mkdir()
    (kitchen / "full/notes.txt").write_text("mine")
    (kitchen / "ada.jsonl").write_text("an older trace")
    before = sorted(kitchen.rglob("*"))

    outcome = call(*CLEANUP, "--trace", "ada.jsonl", *words)

    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"hocket: {sentence}\n")
    assert sorted(kitchen.rglob("*")) == before
    assert (kitchen / "ada.jsonl").read_text() == "an older trace"


@pytest.mark.parametrize("game", ["pantry", "overcooked:cramped_room"])
def test_a_game_without_a_picture_of_its_own_is_not_filmed(game: str, call: Call, kitchen: Path) -> None:
    """Nor is a trace of it."""
    call("play", game, "--steps", "3", "--trace", "ada.jsonl")

    outcomes = [
        call("play", game, "--trace", "bo.jsonl", "--gif", "a.gif"),
        call("play", game, "--trace", "bo.jsonl", "--png", "a.gif"),
        call("rerun", "ada.jsonl", "--gif", "a.gif"),
    ]

    problem = f"is 'a.gif', but must be left out: {game} has no picture of its own"
    assert [(outcome.code, outcome.out) for outcome in outcomes] == [(2, "")] * 3
    assert [outcome.err for outcome in outcomes] == [
        f"hocket: --{which} {problem}\n" for which in ("gif", "png", "gif")
    ]
    assert [path.name for path in kitchen.iterdir()] == ["ada.jsonl"]


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A game of somebody else's may have a picture and no need of it."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    for name in ("hocket.gif", "hocket.pngs"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    with pytest.raises(MissingExtraError) as refused:
        Camera(None, tmp_path / "ada.gif", None).on(Lamp())

    assert str(refused.value) == "a film needs the extra 'meltingpot': pip install 'hocket[meltingpot]'"
    assert list(tmp_path.iterdir()) == []
