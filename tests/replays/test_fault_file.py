"""Fault profiles as files: those that come along, one's own, and each mistake."""

from pathlib import Path

import pytest
from tests.runtime.simulated import simulated

from hocket.replays.fault_file import profile_names, read_profile
from hocket.replays.trace import Trace, encode_trace
from hocket.runtime.errors import ProfileError, TraceError, TracePathError, UnknownNameError
from hocket.runtime.fault_profile import AgentFaults, FaultProfile, Link
from hocket.runtime.latency import Constant, Recorded, Uniform


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A profile that is about to be written."""
    return tmp_path / "mine.toml"


def refusal(path: Path, text: str) -> str:
    """What is said about a profile, without its folder."""
    path.write_text(text)
    with pytest.raises((ProfileError, UnknownNameError)) as refused:
        read_profile(str(path))
    return str(refused.value).replace(str(path), path.name)


def test_four_profiles_come_along() -> None:
    """From nothing at all to everything that can go wrong, and each says what it is about."""
    profiles = {name: read_profile(name) for name in profile_names()}

    assert set(profiles) == {"ideal", "laggy", "lossy", "hostile"}
    assert all(profile.about for profile in profiles.values())
    assert profiles["ideal"] == FaultProfile(about=profiles["ideal"].about)
    assert all(profile.seats() == () for profile in profiles.values())


def test_what_comes_along_is_milder_than_hostile() -> None:
    """Laggy loses nothing, lossy has no bad agents, and in hostile every window is over some time."""
    laggy, lossy, hostile = (read_profile(name) for name in ("laggy", "lossy", "hostile"))

    assert not any(link.drop or link.duplicate or link.reorder for link in laggy.link)
    assert any(link.drop for link in lossy.link)
    assert all(agent.never == agent.malformed == 0 for agent in (*laggy.agent, *lossy.agent))
    assert hostile.partition
    assert all(window.ticks for window in (*hostile.partition, *hostile.hold, *hostile.crash))


def test_a_profile_of_ones_own_is_read(mine: Path) -> None:
    """As its module shows it."""
    mine.write_text(
        'about = "An evening at home."\n[[link]]\ncarries = ["choice"]\n'
        'latency = { kind = "uniform", least = 1, most = 4 }\ndrop = 0.02\n'
        '[[agent]]\nseats = [1]\nlatency = { kind = "constant", ticks = 2 }\nmalformed = 0.05\n'
    )

    assert read_profile(str(mine)) == FaultProfile(
        about="An evening at home.",
        link=(Link(carries=("choice",), latency=Uniform(1, 4), drop=0.02),),
        agent=(AgentFaults(seats=(1,), latency=Constant(2), malformed=0.05),),
    )


def test_delays_are_taken_from_a_trace(mine: Path) -> None:
    """Those between a seat's offers and its choices, in their order; the trace stands beside the profile."""
    recorded = simulated("delay:1:1:offer:3", "delay:1:2:choice:2", "delay:0:0:offer:7").trace
    (mine.parent / "ada.jsonl").write_bytes(encode_trace(recorded.header, recorded.events))
    mine.write_text('[[agent]]\nlatency = { kind = "recorded", trace = "ada.jsonl", seat = 1 }\n')

    profile = read_profile(str(mine))

    assert profile == FaultProfile(agent=(AgentFaults(latency=Recorded((0, 3, 2, 0))),))


def test_a_trace_without_choices_of_the_seat_has_no_delays(mine: Path, played: Trace) -> None:
    """A profile that would be empty says so."""
    (mine.parent / "ada.jsonl").write_bytes(encode_trace(played.header, played.events))

    said = refusal(mine, '[[agent]]\nlatency = { kind = "recorded", trace = "ada.jsonl", seat = 7 }')

    assert said == "fault profile mine.toml: ada.jsonl has no choice of seat 7"


@pytest.mark.parametrize("rest", ["trace = 3", 'trace = "a", seat = "1"', 'trace = "a", ticks = [1]'])
def test_a_recorded_latency_is_a_trace_and_a_seat(mine: Path, rest: str) -> None:
    """Or its own ticks, but not both."""
    said = refusal(mine, f'[[link]]\nlatency = {{ kind = "recorded", {rest} }}')

    assert said == "fault profile mine.toml: a recorded latency has a trace, a seat, and nothing else"


def test_a_trace_that_is_none_is_told_as_a_trace(mine: Path) -> None:
    """The sentence is about the file that is wrong."""
    (mine.parent / "ada.jsonl").write_text("hello\n")
    mine.write_text('[[link]]\nlatency = { kind = "recorded", trace = "ada.jsonl" }')
    with pytest.raises(TraceError, match=r"ada.jsonl: is not a trace"):
        read_profile(str(mine))

    (mine.parent / "ada.jsonl").unlink()
    with pytest.raises(TracePathError, match=r"ada.jsonl: no such file"):
        read_profile(str(mine))


def test_a_name_that_leads_to_nothing_names_the_nearest() -> None:
    """As everywhere."""
    with pytest.raises(UnknownNameError) as refused:
        read_profile("hostil")

    assert str(refused.value) == "there is no fault profile 'hostil' (nearest: hostile)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[link]]\ndorp = 0.1", "there is no key of link in mine.toml 'dorp' (nearest: drop)"),
        ("[[agent]]\nmalformd = 0.1", "there is no key of agent in mine.toml 'malformd' (nearest: malformed)"),
        ("[[crash]]\nstrat = 1", "there is no key of crash in mine.toml 'strat' (nearest: start"),
        ("[[links]]\ndrop = 0.1", "there is no key of the profile in mine.toml 'links' (nearest: link)"),
        ('abuot = "x"', "there is no key of the profile in mine.toml 'abuot' (nearest: about)"),
        (
            '[[link]]\nlatency = { kind = "uniform", leats = 1, most = 3 }',
            "there is no key of a latency in mine.toml 'leats' (nearest: least",
        ),
        (
            '[[agent]]\nlateness = { kind = "log_normal", medain = 1, sigma = 1, most = 3 }',
            "there is no key of a latency in mine.toml 'medain' (nearest: median",
        ),
        ("[[link]]\ndrop = 1.5", "fault profile mine.toml: link[0].drop: expected `float` <= 1.0"),
        ("[[link]]\ndrop = -0.5", "fault profile mine.toml: link[0].drop: expected `float` >= 0.0"),
        ("[[link]]\ndrop = nan", "fault profile mine.toml: link[0].drop: expected `float` >= 0.0"),
        ('[[link]]\ndrop = "often"', "fault profile mine.toml: link[0].drop: expected `float`, got `str`"),
        (f"[[link]]\ndrop = 1{'0' * 400}", "fault profile mine.toml: link[0].drop: number out of range"),
        ("[link]\ndrop = 0.5", "fault profile mine.toml: link: expected `array`, got `object`"),
        (
            "[[agent]]\nlate = 0.6\nnever = 0.6",
            "fault profile mine.toml: agent[0]: the chances of its faults add up to 1.2, which is more than 1",
        ),
        (
            '[[link]]\nlatency = { kind = "uniform", least = 4, most = 1 }',
            "fault profile mine.toml: link[0].latency: most is 1, but least is 4",
        ),
        ("[[link]", "fault profile mine.toml: is no TOML: "),
        ("hello", "fault profile mine.toml: is no TOML: "),
        ("a = " + "[" * 5000, "fault profile mine.toml: is no TOML: "),
        (".".join("a" * 3000) + " = 1", "fault profile mine.toml: is nested too deeply"),
        (
            '[[link]]\nlatency = { kind = "recorded", trace = "a\\u0000b" }',
            "fault profile mine.toml: 'a\\x00b' is no name of a trace",
        ),
        (
            '[[link]]\nlatency = { kind = "recorded", trace = "a.jsonl", seat = true }',
            "fault profile mine.toml: a recorded latency has a trace, a seat, and nothing else",
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence(mine: Path, text: str, said: str) -> None:
    """With its place, and the nearest name where it is one of a key."""
    found = refusal(mine, text)

    assert found.startswith(said)
    assert "\n" not in found


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    """One that is missing, a folder, and one that is no text."""
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")

    said = []
    for name in ("missing.toml", "folder.toml", "bytes.toml"):
        with pytest.raises(ProfileError) as refused:
            read_profile(str(tmp_path / name))
        said.append(refused.value.problem)

    assert said[:2] == ["no such file or directory", "is a directory"]
    assert said[2].startswith("is no TOML: 'utf-8' codec can't decode")
