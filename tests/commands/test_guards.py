"""`hocket burn-in` and `hocket guards`: what they print, and one sentence for each mistake."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
SMALL = ("--solo", "60", "--team", "60", "--steps", "60")


@pytest.fixture
def mined(call: Call) -> Path:
    """A log of the pantry, and the guards of it."""
    call("burn-in", "pantry", *SMALL, "--out", "log")
    call("guards", "synthesize", "log", "--out", "guards.json")
    return Path("guards.json")


def test_a_log_becomes_guards_that_hold_on_fresh_play(mined: Path, call: Call) -> None:
    """The whole way, as the options' page shows it."""
    call("burn-in", "pantry", *SMALL, "--seed", "9", "--out", "fresh")

    verified = call("guards", "verify", mined, "log", "fresh", "--json")
    explained = call("guards", "explain", mined, "open_hatch", "--log", "log")
    sound = call("guards", "diagnose", "log")

    assert (verified.code, json.loads(verified.out)["holds"]) == (0, True)
    assert "hidden: open_hatch where hatch is open, since " in explained.out
    assert explained.out.count("episode ") >= 3
    assert (sound.code, sound.out) == (0, "nothing that a sound contract could not produce\n")


def test_a_guard_that_hides_a_success_fails_the_certificate(mined: Path, call: Call) -> None:
    """With the records that it hides, and exit code 1."""
    content = json.loads(mined.read_text())
    content["guards"].append({"option": "serve", "channel": "inferred", "when": {"held": "jar"}, "support": 9})
    mined.write_text(json.dumps(content))

    told = call("guards", "verify", mined, "log")

    assert told.code == 1
    assert "does not hold: serve where held is jar hides " in told.out
    assert "serve@6,2 with held jar" in told.out


def test_two_guard_files_are_compared_by_what_they_hide(mined: Path, call: Call) -> None:
    """Their support may differ."""
    content = json.loads(mined.read_text())
    gone = content["guards"].pop()
    Path("other.json").write_text(json.dumps(content))

    same, different = call("guards", "diff", mined, mined), call("guards", "diff", mined, "other.json")

    assert (same.code, same.out) == (0, f"the same {len(content['guards']) + 1} guards\n")
    assert (different.code, different.out.startswith(f"only in guards.json: {gone['option']} where ")) == (1, True)


def test_an_episode_is_played_with_the_guards_that_it_is_told(mined: Path, call: Call) -> None:
    """They stand in its header, and the rerun hides the same."""
    for guards in ("own", "none", str(mined)):
        played = call("play", "pantry", "--seat", "0=random", "--guards", guards, "--trace", "ada.jsonl", "--json")
        header = json.loads(Path("ada.jsonl").read_text().splitlines()[0])["header"]

        assert played.code == 0
        assert bool(header["guards"]) == (guards != "none")
        assert call("rerun", "ada.jsonl").code == 0


def test_burn_in_says_what_it_counted(call: Call) -> None:
    """And goes on with what is there: the second time nothing is left to play."""
    first = call("burn-in", "pantry", *SMALL, "--out", "log", "--json")
    second = call("burn-in", "pantry", *SMALL, "--out", "log", "--json")

    told = json.loads(first.out)
    assert first.out == second.out
    assert told["records"] == told["success"] + told["effect_fail"] + told["timeout"] + told["explicit"] > 1000


def test_an_overcooked_log_that_was_broken_off_is_gone_on_with(call: Call) -> None:
    """Its manifest holds a whole layout, which must compare equal to itself after it was read."""
    words = (
        "burn-in",
        "overcooked:cramped_room",
        "--solo",
        "201",
        "--team",
        "4",
        "--steps",
        "20",
        "--out",
        "log",
        "--json",
    )
    first = call(*words)
    Path("log/chunk-00000.npz").unlink()

    again = call(*words)

    assert (first.code, again.code) == (0, 0)
    assert first.out == again.out


def test_a_support_that_the_own_log_does_not_bear_out_fails_the_certificate(mined: Path, call: Call) -> None:
    """A number in a guard file is a claim like any other."""
    content = json.loads(mined.read_text())
    content["guards"][0]["support"] += 1
    mined.write_text(json.dumps(content))

    told = call("guards", "verify", mined, "log")

    assert told.code == 1
    assert "says that it explains" in told.out


MISTAKES = {
    "support of 0": (("guards", "synthesize", "log", "--out", "x.json", "--min-support", "0"), "min-support is 0"),
    "no log": (("guards", "synthesize", "nowhere", "--out", "x.json"), "burn-in log nowhere: has no manifest"),
    "no guard file": (("guards", "verify", "log/manifest.json", "log"), "log/manifest.json: is no guard file"),
    "no such file": (("guards", "diff", "guards.json", "nowhere.json"), "nowhere.json: cannot be read"),
    "no such option": (("guards", "explain", "guards.json", "fry", "--log", "log"), "guard on fry: there is no such"),
    "another game": (("play", "pantry", "--set", "seats=3", "--guards", "guards.json"), "was mined on pantry, not on"),
    "another kind": (("play", "overcooked:cramped_room", "--guards", "guards.json"), "was mined on pantry, not on"),
    "no episodes": (("burn-in", "pantry", "--solo", "0", "--team", "0", "--out", "y"), "episodes is '0 solo, 0 team'"),
    "no starts": (
        ("burn-in", "pantry", "--starts", "odd", "--out", "y"),
        "starts is 'odd', but must be standard, varied, scattered, or one of these with a seed",
    ),
    "no jobs": (("burn-in", "pantry", "--jobs", "0", "--out", "y"), "jobs is 0"),
    "another log there": (("burn-in", "pantry", "--seed", "5", "--out", "log"), "burn-in log log: holds another log"),
    "no such library": (("burn-in", "pantry", "--library", "x", "--out", "y"), "there is no option library 'x'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence(mistake: str, mined: Path, call: Call) -> None:
    """Exit code 2, nothing on stdout, no traceback."""
    words, sentence = MISTAKES[mistake]

    told = call(*words)

    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("hocket: ")
    assert sentence in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"option": "fry"}, "the library 'default' has no such option"),
        ({"when": {"colour": "red"}}, "it reads no feature 'colour'"),
        ({"when": {"held": "soup"}}, "held is never 'soup'"),
        ({"option": "wait"}, "no menu is empty"),
    ],
)
def test_a_guard_that_does_not_fit_is_refused(change: dict[str, Any], sentence: str, mined: Path, call: Call) -> None:
    """Before anything is played."""
    content = json.loads(mined.read_text())
    content["guards"][0] |= change
    mined.write_text(json.dumps(content))

    told = call("play", "pantry", "--guards", mined, "--trace", "ada.jsonl")

    assert (told.code, told.out) == (2, "")
    assert sentence in told.err
    assert not Path("ada.jsonl").exists()


def test_a_log_cut_short_is_named(mined: Path, call: Call) -> None:
    """With the chunk that is damaged."""
    chunk = Path("log/chunk-00000.npz")
    chunk.write_bytes(chunk.read_bytes()[:-200])

    told = call("guards", "verify", mined, "log")

    assert told.code == 2
    assert "chunk-00000.npz" in told.err


def test_logs_of_two_libraries_do_not_mix(mined: Path, call: Call) -> None:
    """A certificate of one says nothing of the other."""
    manifest = Path("log/manifest.json")
    manifest.write_text(manifest.read_text().replace('"name": "default"', '"name": "other"'))

    told = call("guards", "verify", mined, "log")

    assert told.code == 2
    assert "is of the library 'other'" in told.err
