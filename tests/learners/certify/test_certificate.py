"""Verdicts on made-up numbers: what each rests on, and when none can be told."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hocket.learners.certify.conditions import conditions, partner_for
from hocket.learners.certify.evidence import ABLE, ADDS, WORKS, Check, Evidence, checks
from hocket.learners.certify.sentence import sentence
from hocket.learners.certify.thresholds import EXPECTED, VERDICTS, Thresholds, read_thresholds
from hocket.learners.certify.verdict import Verdict, judge
from hocket.learners.match import Terms
from hocket.replays.statistics import estimate
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import FileError, UnknownNameError
from hocket.runtime.game import GameSpec

Numbers = Sequence[float]
OURS = Thresholds()


def evidence(
    team: Numbers,
    alone: Sequence[Numbers],
    added: Sequence[Numbers],
    *,
    after: Numbers | None = None,
    work: Sequence[Numbers] | None = None,
    deliveries: Numbers | None = None,
    shared: Numbers | None = None,
) -> Evidence:
    """Half of the return comes after half time and all seats work alike, unless said."""
    nothing, none = [0.0] * len(team), tuple([10.0] * len(team) for _ in alone)
    half = tuple(each / 2 for each in team) if after is None else tuple(after)
    return Evidence(
        tuple(team),
        tuple(map(tuple, alone)),
        tuple(map(tuple, added)),
        (half,) * len(alone),
        tuple(map(tuple, none if work is None else work)),
        tuple(nothing if deliveries is None else deliveries),
        tuple(nothing if shared is None else shared),
    )


class Judged(msgspec.Struct, frozen=True):
    """A verdict, its sentence, and every comparison."""

    name: str
    seats: tuple[int, ...]
    sentence: str
    checks: list[Check]


def verdict(found: Evidence, lines: Thresholds = OURS) -> Judged:
    """Judge by our own lines, unless others are given."""
    held = checks(found, lines)
    told: Verdict = judge(found, held)
    return Judged(told.name, told.seats, sentence(told, found, lines, held), held)


TEAM = (100.0, 110.0, 90.0, 100.0)
HALF = (50.0, 55.0, 45.0, 50.0)
MOST = (40.0, 42.0, 38.0, 40.0)
LITTLE = (20.0, 21.0, 19.0, 20.0)
NONE = (0.0,) * 4
SOME = (60.0, 62.0, 58.0, 60.0)
BUSY, LAZY = (10.0,) * 4, (1.0,) * 4
DELIVERED, FEW, MANY = (10.0,) * 4, (0.0, 1.0, 1.0, 0.0), (8.0, 9.0, 10.0, 9.0)
KNOWN: dict[str, tuple[Evidence, tuple[int, ...]]] = {
    "needs its partner": (evidence(TEAM, [NONE, NONE], [MOST, HALF]), (0, 1)),
    "independent workers": (
        evidence(TEAM, [SOME, SOME], [MOST, MOST], deliveries=DELIVERED, shared=FEW),
        (),
    ),
    "works together": (evidence(TEAM, [SOME, SOME], [MOST, MOST], deliveries=DELIVERED, shared=MANY), ()),
    "one works and one idles": (evidence(TEAM, [TEAM, NONE], [HALF, NONE], work=[BUSY, LAZY]), (1,)),
    "some idle": (evidence(TEAM, [SOME, SOME, NONE], [MOST, MOST, NONE], work=[BUSY, BUSY, LAZY]), (2,)),
    "spare seat": (evidence(TEAM, [TEAM, NONE], [HALF, NONE], work=[BUSY, BUSY]), (1,)),
    "hindered": (evidence(TEAM, [(150.0, 160.0, 140.0, 150.0), NONE], [HALF, MOST]), (0,)),
    "nothing earned": (evidence(NONE, [NONE, NONE], [NONE, NONE]), ()),
    "undecided": (evidence(TEAM, [TEAM, NONE], [HALF, (0.0, 20.0, 0.0, 0.0)], work=[BUSY, LAZY]), (1,)),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_every_verdict_has_its_team(name: str) -> None:
    """One that nothing leads to would promise what nobody gets."""
    numbers, about = KNOWN[name]

    found = verdict(numbers)

    assert (found.name, found.seats) == (name, about)
    assert "the team earns" in found.sentence


def test_the_sentence_has_the_numbers_with_their_intervals() -> None:
    """And no interval where all returns are equal."""
    found = verdict(KNOWN["needs its partner"][0])

    team, half, most = map(str, map(estimate, (TEAM, HALF, MOST)))
    assert ("[" in team, "[" in most) == (True, True)
    assert found.sentence == (
        f"the team earns {team}, and each seat alone less than 10% of that; "
        "seat 0 alone earns 0 (no spread), seat 1 0 (no spread); "
        f"each counts: seat 0 adds {most} of {half} after half time (80%) and does 50% of the work; "
        f"seat 1 adds {half} of {half} after half time (100%) and does 50% of the work"
    )


def test_what_cannot_be_told_is_named_and_more_episodes_would_tell() -> None:
    """An interval across the line says neither the one nor the other."""
    seldom = (0.0, 40.0, 0.0, 5.0)

    found = verdict(evidence(TEAM, [SOME, seldom], [MOST, MOST]))

    assert (found.name, found.seats) == ("undecided", (1,))
    assert "whether seat 1 can do it alone (it is 1.25 [" in found.sentence
    assert "points beyond the line, and more episodes would tell" in found.sentence


def test_values_without_spread_count_as_themselves() -> None:
    """As much as the line is enough, less is not, however little; neither has an interval."""
    same = (100.0,) * 4
    enough, less = ((value,) * 4 for value in (10.0, 9.0))

    on, below = (verdict(evidence(same, [same, low], [(50.0,) * 4] * 2)) for low in (enough, less))

    assert (on.name, below.name) == ("independent workers", "needs its partner")
    assert all(check.margin.low is None and check.margin.high is None for check in (*on.checks, *below.checks))
    assert "[" not in on.sentence + below.sentence


def test_of_three_seats_one_that_is_in_the_way_is_found() -> None:
    """Nobody alone earns more than the team, and yet it would do better without one of them."""
    worse = (-20.0, -25.0, -15.0, -20.0)

    found = verdict(evidence(TEAM, [SOME, SOME, NONE], [MOST, MOST, worse]))

    assert (found.name, found.seats) == ("hindered", (2,))
    assert f"{estimate([-each for each in worse])} more once seat 2 stands idle" in found.sentence


def test_to_be_in_the_way_by_a_trifle_is_not_to_hinder() -> None:
    """Less than the part below which a seat counts for nothing; with many seats, chance takes a little from some."""
    trifle = (-0.5, -0.6, -0.4, -0.5)

    found = verdict(evidence(TEAM, [SOME, SOME, NONE], [MOST, MOST, trifle], work=[BUSY, BUSY, LAZY]))

    assert (found.name, found.seats) == ("some idle", (2,))


def test_a_seat_that_only_may_be_hindered_is_not() -> None:
    """An idle partner leaves an agent on that very line; it is idle, not undecided."""
    about = (95.0, 118.0, 88.0, 103.0)

    found = verdict(evidence(TEAM, [about, NONE], [HALF, NONE], work=[BUSY, LAZY]))

    assert found.name == "one works and one idles"


def test_a_team_that_earns_nothing_where_a_seat_alone_does_is_hindered() -> None:
    """It says more than that nothing was earned."""
    found = verdict(evidence(NONE, [SOME, NONE], [NONE, NONE]))

    assert (found.name, found.seats) == ("hindered", (0,))


def test_nothing_is_said_of_what_seats_add_where_nothing_is_earned_after_half_time() -> None:
    """Then longer episodes would tell, not more."""
    found = verdict(evidence(TEAM, [TEAM, NONE], [NONE, NONE], after=NONE))

    assert (found.name, found.seats) == ("undecided", (0, 1))
    assert "longer ones would tell" in found.sentence
    assert "more episodes" not in found.sentence


def test_where_no_event_tells_of_work_what_a_seat_adds_decides() -> None:
    """A game of somebody else's may report nothing that counts as work."""
    found = verdict(evidence(TEAM, [TEAM, NONE], [HALF, NONE], work=[NONE, NONE]))

    assert found.name == "one works and one idles"
    assert WORKS not in {check.what for check in found.checks}


def test_thresholds_move_the_lines() -> None:
    """The same numbers, held against others: each line by itself makes another verdict of them."""
    numbers = evidence(TEAM, [SOME, SOME], [MOST, LITTLE], deliveries=DELIVERED, shared=FEW, work=[BUSY, LAZY])

    ours = verdict(numbers)
    able = verdict(numbers, Thresholds(able=0.9))
    idle = verdict(numbers, Thresholds(idle=0.9))
    shared = verdict(numbers, Thresholds(shared=0.0))

    assert (ours.name, able.name, shared.name) == ("independent workers", "needs its partner", "works together")
    assert (idle.name, idle.seats) == ("one works and one idles", (1,))


@given(
    team=st.lists(st.integers(1, 100), min_size=3, max_size=3),
    alone=st.lists(st.lists(st.integers(0, 100), min_size=3, max_size=3), min_size=2, max_size=2),
    added=st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=2),
    work=st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=2),
)
@settings(max_examples=40, deadline=None)
def test_neither_the_order_of_seats_nor_the_worth_of_a_point_changes_a_verdict(
    team: list[int], alone: list[list[int]], added: list[list[int]], work: list[list[int]]
) -> None:
    """A soup of twenty points is no better partner than one of a hundred and sixty."""
    numbers = evidence(team, alone, added, work=work)
    turned = evidence(team, alone[::-1], added[::-1], work=work[::-1])
    dear = evidence(_dear(team), list(map(_dear, alone)), list(map(_dear, added)), work=work)

    found = verdict(numbers)

    assert verdict(turned).name == verdict(dear).name == found.name
    assert sorted(1 - seat for seat in verdict(turned).seats) == sorted(found.seats)


def _dear(points: list[int]) -> list[int]:
    return [8 * each for each in points]


def test_every_line_stands_in_the_checks() -> None:
    """So that one can see by how much a team is on which side."""
    found = verdict(KNOWN["works together"][0])

    told = {(check.what, check.seat): check for check in found.checks}
    assert len(told) == len(found.checks) == 11
    assert (told[ADDS, 0].margin.mean, told[ADDS, 0].holds) == (35.0, True)
    assert (told[ABLE, 1].margin.mean, told[ABLE, 1].holds) == (50.0, True)


def test_a_file_says_only_what_differs(tmp_path: Path) -> None:
    """And what is asked for on the command line goes before."""
    path = tmp_path / "lines.toml"
    path.write_text('idle = 0.5\nexpect = ["hindered"]\n', "utf-8")

    read, asked, own = read_thresholds(path), read_thresholds(path, ["undecided"]), read_thresholds(None)

    assert read == Thresholds(idle=0.5, expect=("hindered",))
    assert asked.expect == ("undecided",)
    assert own.expect == EXPECTED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("idel = 0.5", "'idel' (nearest: idle)"),
        ("idle = 2", "idle: expected `float` <= 1.0"),
        ("able = nan", "able: expected `float` >= 0.0"),
        ("idle = ", "is no TOML"),
        ('expect = ["hinderd"]', "there is no verdict 'hinderd' (nearest: hindered"),
        ("expect = []", "expect is empty"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """In one sentence, before anything is played."""
    path = tmp_path / "lines.toml"
    path.write_text(text, "utf-8")

    with pytest.raises((FileError, UnknownNameError)) as refused:
        read_thresholds(path)

    assert said in str(refused.value)


def test_each_seat_is_played_beside_the_idle_the_random_and_a_script() -> None:
    """In its own seat, all others being the same."""
    terms = Terms(GameSpec("pantry", "pantry", {"seats": 3}), LibraryMark("default", 1, ""), (), 60)

    found = conditions(terms, ("a", "b", "c"), partner_for("pantry", "default", "d"), (1, 2))

    assert found.team.agents == ("a", "b", "c")
    assert [match.agents for match in found.alone] == [
        ("a", *["idle"] * 2),
        ("idle", "b", "idle"),
        (*["idle"] * 2, "c"),
    ]
    assert [match.agents[0] for match in found.random] == ["a", "random", "random"]
    assert [match.agents[2] for match in found.scripted] == ["d", "d", "c"]
    assert {match.seeds for match in (found.team, *found.others)} == {(1, 2)}


def test_a_partner_that_cannot_play_is_left_out_and_why_is_said() -> None:
    """A script knows one library of options."""
    own, none, other = (
        partner_for(*each, None)
        for each in (("overcooked", "default"), ("pantry", "default"), ("overcooked", "errands"))
    )

    assert own.agent == "scripted:cook"
    assert (none.agent, other.agent) == (None, None)
    assert "no scripted partner comes with pantry" in none.why
    assert "default library alone" in other.why
    assert msgspec.json.encode(own)
