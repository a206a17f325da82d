"""Certificates of teams that are known beforehand, from episodes that are played."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from hocket.agents.idle import Idle
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.guarding import hidden_by
from hocket.learners.certify.absence import Question, absence
from hocket.learners.certify.certificate import Certificate, certificate
from hocket.learners.certify.certification import Certification
from hocket.learners.certify.conditions import Conditions, Partner, conditions, partner_for
from hocket.learners.certify.thresholds import Thresholds
from hocket.learners.contest import play_all
from hocket.learners.match import Terms, trace_of
from hocket.replays.branch import Branch
from hocket.replays.decisions import find_decision
from hocket.replays.fork import fork
from hocket.replays.trace import LibraryMark, read_trace
from hocket.runtime.errors import FileError
from hocket.runtime.seats import Holder

COOK = "scripted:cook"
ALONE, SPOILER, HAND, TORN = (f"tests.learners.certify.workers:{name}" for name in ("Alone", "Spoiler", "Hand", "Torn"))


def matches(
    name: str, agents: Sequence[str], *, episodes: int = 4, steps: int = 240, starts: str = "scattered", **more: object
) -> Conditions:
    """What is played, beside no script unless a kitchen has one."""
    game = registry.make(name, more)
    library = registry.library(game)
    mark = LibraryMark(library.name, library.version, library.digest)
    terms = Terms(game.spec, mark, hidden_by("own", game, library), steps, starts)
    return conditions(terms, agents, partner_for(game.spec.kind, library.name, None), range(10_000, 10_000 + episodes))


def certified(played: Conditions, folder: Path, processes: int = 1) -> Certificate:
    """Play it, and judge by our own lines."""
    found = Certification(played, folder).play(processes, lambda: None)
    return certificate(played, Partner(None), found, Thresholds())


@pytest.mark.parametrize(
    ("layout", "agents", "verdict", "about"),
    [
        ("asymmetric_advantages", (COOK, "idle"), "one works and one idles", (1,)),
        ("asymmetric_advantages", ("idle", COOK), "one works and one idles", (0,)),
        ("asymmetric_advantages", (ALONE, ALONE), "independent workers", ()),
        ("asymmetric_advantages", (COOK, COOK), "works together", ()),
        ("forced_coordination", (COOK, COOK), "needs its partner", (0, 1)),
        ("asymmetric_advantages", (COOK, SPOILER), "hindered", (0,)),
        ("forced_coordination", (COOK, "idle"), "nothing earned", ()),
    ],
)
def test_teams_of_which_it_is_known_what_they_are(
    tmp_path: Path, layout: str, agents: tuple[str, ...], verdict: str, about: tuple[int, ...]
) -> None:
    """Two cooks fill one another's pots where they can; two who never look at the other do not."""
    found = certified(matches(f"overcooked:{layout}", agents), tmp_path)

    assert (found.verdict, found.verdict_seats) == (verdict, about)
    assert found.expected is (verdict in ("needs its partner", "independent workers", "works together"))


def test_on_forced_coordination_nobody_earns_anything_alone(tmp_path: Path) -> None:
    """Neither room has all that a soup needs, wherever in it a cook begins."""
    found = certified(matches("overcooked:forced_coordination", (COOK, COOK), episodes=8, steps=160), tmp_path)

    assert [part.alone.values for part in found.seats] == [(0.0,) * 8] * 2
    assert [part.alone.estimate.low for part in found.seats] == [None, None]
    assert (found.handoffs or 0) > (found.deliveries or 0) == found.shared
    assert found.team.estimate.mean > 0


def test_a_spoilt_kitchen_is_found_on_cramped_room(tmp_path: Path) -> None:
    """A partner who lights every pot too early leaves less than one who stands about, though that one is in the way."""
    found = certified(matches("overcooked:cramped_room", (COOK, SPOILER), episodes=20, steps=200), tmp_path)

    assert (found.verdict, found.verdict_seats) == ("hindered", (0,))
    assert found.team.values == (0.0,) * 20
    assert "(no spread), and seat 0 alone" in found.sentence


@pytest.mark.parametrize(
    ("agents", "verdict", "about"),
    [
        ((HAND, HAND, "idle"), "some idle", (2,)),
        ((HAND, "idle", "idle"), "some idle", (1, 2)),
        ((HAND, HAND, HAND), "independent workers", ()),
    ],
)
def test_more_than_two_seats(tmp_path: Path, agents: Sequence[str], verdict: str, about: tuple[int, ...]) -> None:
    """A hand can do all of it; one that stands by is named."""
    found = certified(matches("pantry", agents, steps=200, seats=3), tmp_path)

    assert (found.verdict, found.verdict_seats) == (verdict, about)
    assert [len(part.added.values) for part in found.seats] == [4] * 3
    assert [part.work_share == 0 for part in found.seats] == [agent == "idle" for agent in agents]


def test_episodes_that_are_all_the_same_have_no_interval(tmp_path: Path) -> None:
    """A fixed start and fixed scripts make four episodes one."""
    found = certified(matches("overcooked:asymmetric_advantages", (ALONE, ALONE), starts="standard"), tmp_path)

    measured = [found.team, *(each for part in found.seats for each in (part.alone, part.added, part.after))]
    assert {each.estimate.low for each in measured} == {None}
    assert "[" not in found.sentence
    assert "(no spread)" in found.sentence
    assert "fixed scripts play one episode" in found.why


def test_starts_differ_in_where_the_seats_stand(tmp_path: Path) -> None:
    """Fixed scripts then have returns with a spread."""
    found = certified(matches("overcooked:asymmetric_advantages", (COOK, "idle"), episodes=6), tmp_path)

    assert found.team.estimate.low is not None
    assert "anywhere in its own room" in found.why


def test_an_absence_is_the_fork_that_one_would_make_by_hand(tmp_path: Path) -> None:
    """From the seat's first decision in the second half on, with the others as they were."""
    played = matches("overcooked:forced_coordination", (COOK, COOK), episodes=2)
    Certification(played, tmp_path).play(1, lambda: None)
    path = trace_of(tmp_path / "traces", 10_001)
    trace = read_trace(path)

    found = absence(Question(played.team, str(path), 1))

    cook, idle = Cast("overcooked").holder(COOK, 0), Holder("idle", Idle())
    number = next(n for n in range(999) if find_decision(trace, f"1:{n}").tick >= 120)
    by_hand = fork(trace, Branch(trace, find_decision(trace, f"1:{number}")), [cook, cook], {1: idle}, idle)
    assert (found.tick, found.so_far, found.without) == (by_hand.tick, by_hand.so_far, by_hand.fork)
    assert (found.recorded, found.added) == (by_hand.recorded, found.recorded - by_hand.fork)
    assert found.added > 0


def test_a_language_model_goes_on_as_it_played(tmp_path: Path) -> None:
    """Where an idle seat is made idle nothing changes, so the model beside it has to decide as it did."""
    team = matches("overcooked:asymmetric_advantages", ("llm", "idle"), episodes=1, steps=200).team
    [score] = play_all([team], processes=1, folders=[tmp_path])
    path = str(trace_of(tmp_path, 10_000))

    model, other = (absence(Question(team, path, seat)) for seat in (0, 1))

    assert other.without == other.recorded == score.team[0] > other.so_far
    assert model.without == model.so_far


def test_a_seat_that_failed_stays_idle(tmp_path: Path) -> None:
    """Its agent has lost it in the recorded half, and does not come back in a fork."""
    played = matches("pantry", (TORN, "random"), episodes=2, steps=100)

    found = Certification(played, tmp_path).play(1, lambda: None)

    assert found.team.failed == 2
    assert [each.added for each in found.absences[0]] == [0.0, 0.0]


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    """Number by number."""
    played = matches("pantry", ("random", "random"), episodes=2, steps=60)

    one, two = (certified(played, tmp_path / str(count), count) for count in (1, 2))

    assert one == two


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    """A trace or an answer that has gone is made anew, the same."""
    played = matches("pantry", ("random", "random"), episodes=2, steps=60)
    first = certified(played, tmp_path)
    files = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in tmp_path.rglob("*") if path.is_file()}

    second = certified(played, tmp_path)

    assert second == first
    assert {path: path.stat().st_mtime_ns for path in files} == {path: told[0] for path, told in files.items()}
    for folder in ("traces", "absences"):
        shutil.rmtree(tmp_path / folder)
    assert certified(played, tmp_path) == first
    assert {path: path.read_bytes() for path in files} == {path: told[1] for path, told in files.items()}


def test_a_folder_is_that_of_one_team(tmp_path: Path) -> None:
    """Traces are named by their seeds: those of another team would be taken for its own; more episodes are welcome."""
    certified(matches("pantry", ("random", "random"), episodes=2, steps=60), tmp_path)

    more = certified(matches("pantry", ("random", "random"), episodes=3, steps=60), tmp_path)

    assert len(more.team.values) == 3
    for other in (matches("pantry", ("random", "idle"), steps=60), matches("pantry", ("random", "random"), steps=61)):
        with pytest.raises(FileError, match="holds the certificate of another team"):
            Certification(other, tmp_path)


def test_a_trace_that_is_not_whole_is_played_again(tmp_path: Path) -> None:
    """What would have been cannot be told from half of what was."""
    played = matches("pantry", ("random", "random"), episodes=2, steps=60)
    first = Certification(played, tmp_path).play(1, lambda: None)
    path = trace_of(tmp_path / "traces", 10_000)
    whole = path.read_bytes()
    path.write_bytes(whole[:-400])

    second = Certification(played, tmp_path).play(1, lambda: None)

    assert second == first
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    """Before anything is played."""
    (tmp_path / "file").write_text("", "utf-8")

    with pytest.raises(FileError, match="cannot be written"):
        Certification(matches("pantry", ("random", "random")), tmp_path / "file")
