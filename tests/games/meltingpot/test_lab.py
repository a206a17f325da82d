"""What is read out of a substrate, against what dmlab2d says itself."""

from collections import Counter
from itertools import pairwise

import pytest
from tests.games.meltingpot.observed import BEGUN, Observed, Step, joints, observed
from tests.games.meltingpot.worlds import needs_substrates

from hocket.games.meltingpot.actions import FIRE_CLEAN, FIRE_ZAP
from hocket.games.meltingpot.facts import OUT, Facts, Happening
from hocket.games.meltingpot.hosted import host
from hocket.games.meltingpot.order import Order, Start
from hocket.games.meltingpot.sources import substrates
from hocket.games.meltingpot.world import order_of

pytestmark = needs_substrates
SEATS = 7
COOLING = {"cleanup": 10, "harvest:open": 2, "harvest:closed": 1, "harvest:partnership": 1}
"""Steps from one shot of the zapping beam until it can be fired again, less one: Melting Pot's own figures."""
AWAY = {"cleanup": 51, "harvest:open": 5, "harvest:closed": 101, "harvest:partnership": 101}
"""Steps for which who has been zapped is out of the game."""


@pytest.fixture(scope="module", params=COOLING)
def name(request: pytest.FixtureRequest) -> str:
    """Each substrate in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def run(name: str) -> Observed:
    """A thousand steps of it."""
    return observed(order(name))


def order(name: str) -> Order:
    """What a process is told to build."""
    return order_of(name, substrates(), {"seats": SEATS})


def happened(step: Step, kind: str) -> list[Happening]:
    """What happened of one kind."""
    return [each for each in step.moment.happenings if each.kind == kind]


def test_facts_are_what_dmlab2d_says(run: Observed) -> None:
    """Who is in the game, where each stands and looks, every apple and all dirt: not one difference in a thousand."""
    for step in run.steps:
        facts = step.moment.facts
        there = [alive == 1 for *_, alive in step.avatars]
        assert [place != OUT for place in facts.places] == there
        for seat, (x, y, heading, _) in enumerate(step.avatars):
            if there[seat]:
                assert (facts.places[seat], facts.headings[seat]) == (y * run.width + x, heading)
        for kind, cells in ((1, facts.apples), (2, facts.dirt)):
            assert list(cells) == sorted(y * run.width + x for x, y, of, here in step.objects if of == kind and here)


def test_so_much_happens_that_a_difference_would_show(run: Observed, name: str) -> None:
    """Apples are eaten and grow, dirt is cleaned and comes, avatars are zapped and come back."""
    facts = [step.moment.facts for step in run.steps]
    pairs = list(pairwise(facts))

    assert sum(facts[-1].eaten) > 25
    assert sum(facts[-1].zapped) > 10
    assert any(set(after.apples) - set(before.apples) for before, after in pairs)
    assert any(before.places[seat] == OUT != after.places[seat] for before, after in pairs for seat in range(SEATS))
    assert (sum(facts[-1].cleaned) > 50) == (name == "cleanup")
    assert any(set(after.dirt) - set(before.dirt) for before, after in pairs) == (name == "cleanup")


def test_rewards_are_dmlab2ds_own(run: Observed) -> None:
    """A point for an apple and none for anything else, in the step in which it was eaten."""
    for step in run.steps:
        eaten = Counter(each.seat for each in happened(step, "ate"))
        assert step.moment.rewards == step.rewards == tuple(float(eaten[seat]) for seat in range(SEATS))


def test_what_is_counted_is_what_happened(run: Observed) -> None:
    """Step by step and seat by seat, since the start."""
    counts = {kind: [0] * SEATS for kind in ("ate", "cleaned", "zapped")}

    for step in run.steps:
        for each in step.moment.happenings:
            counts[each.kind][each.seat] += 1
        facts = step.moment.facts
        assert (facts.eaten, facts.cleaned, facts.zapped) == tuple(map(tuple, counts.values()))


def test_what_has_gone_was_taken_by_somebody(run: Observed) -> None:
    """An apple goes where one is eaten and no other way, dirt where it is cleaned, but for dirt that came just then.

    An apple that grows under an avatar is eaten in the same step. Of dirt one piece comes a step at most.
    """
    for before, step in pairwise(run.steps):
        was, now = before.moment.facts, step.moment.facts
        ate, cleaned = ([each.at for each in happened(step, kind)] for kind in ("ate", "cleaned"))
        grown = set(ate) - set(was.apples)
        assert set(was.apples) - set(now.apples) == set(ate) - grown
        gone = set(was.dirt) - set(now.dirt)
        assert gone <= set(cleaned)
        assert len(cleaned) - len(gone) <= 1
        assert not set(ate) & set(now.apples)
        for each in happened(step, "ate"):
            assert each.at not in grown or each.at in (was.places[each.seat], now.places[each.seat])


def test_who_is_zapped_leaves_the_game_and_comes_back(run: Observed, name: str) -> None:
    """Nobody leaves it otherwise, and nobody stays away for longer or shorter than the substrate has it."""
    away = [0] * SEATS

    for before, step in pairwise(run.steps):
        was, now = before.moment.facts.places, step.moment.facts.places
        victims = {each.other for each in happened(step, "zapped")}
        assert victims == {seat for seat in range(SEATS) if was[seat] != OUT == now[seat]}
        for seat in range(SEATS):
            if was[seat] == OUT != now[seat]:
                assert away[seat] == AWAY[name]
            away[seat] = away[seat] + 1 if now[seat] == OUT else 0


def test_a_beam_is_ready_when_it_says_so(run: Observed, name: str) -> None:
    """Fired when its time is up, it has to be waited for again; each step is one less, and those out of the game wait.

    Readiness to zap is dmlab2d's own observation; that the cleaning beam is ready shows in what the next shot does.
    """
    for joint, (before, step) in zip(joints(run.actions, SEATS), pairwise(run.steps), strict=True):
        was, now = before.moment.facts, step.moment.facts
        for seat in range(SEATS):
            if now.places[seat] != OUT:
                assert round((1 - step.ready[seat]) * COOLING[name]) == now.zap_wait[seat]
            if OUT == was.places[seat] == now.places[seat]:
                assert waits(was, seat) == waits(now, seat)
            elif OUT not in (was.places[seat], now.places[seat]):
                zap = cooled(was.zap_wait[seat], COOLING[name], fired=joint[seat] == FIRE_ZAP)
                clean = cooled(was.clean_wait[seat], 2, fired=joint[seat] == FIRE_CLEAN)
                assert waits(now, seat) == (zap, clean)


def waits(facts: Facts, seat: int) -> tuple[int, int]:
    """Steps until a seat can zap, and until it can clean."""
    return facts.zap_wait[seat], facts.clean_wait[seat]


def cooled(wait: int, cooling: int, *, fired: bool) -> int:
    """Steps until a beam can be fired, one step later."""
    return wait - 1 if wait else cooling * fired


def test_nothing_is_hit_by_a_beam_that_was_not_ready(run: Observed) -> None:
    """Whoever cleaned or zapped could do so at the start of the step, and did."""
    for joint, (before, step) in zip(joints(run.actions, SEATS), pairwise(run.steps), strict=True):
        for kind, action in (("cleaned", FIRE_CLEAN), ("zapped", FIRE_ZAP)):
            for each in happened(step, kind):
                wait = waits(before.moment.facts, each.seat)[kind == "cleaned"]
                assert (joint[each.seat], wait) == (action, 0)


@pytest.mark.parametrize("name", ["cleanup", "harvest:open"], scope="module")
def test_a_copy_plays_as_a_fresh_build_does(run: Observed, name: str) -> None:
    """Begun with the same seeds after a fork, the first of them or one after others, in all that is told of a step."""
    hosted = host(order(name))
    first, other, later = (hosted.world() for _ in range(3))
    other.begin(Start(8, 9, 0.1, 0.9))

    for copy in (first, later):
        told = [copy.begin(BEGUN)]
        for joint in joints(run.actions, SEATS):
            told.append(copy.step(bytes(joint)))
            if len(told) % 10 == 0:
                other.step(bytes(joint))
        assert told == [step.moment for step in run.steps]
    for copy in (first, other, later):
        copy.close()
