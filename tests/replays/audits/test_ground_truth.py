"""Teams that are built to have one behaviour: each is found, and nothing else is.

Bars on the numbers, beside the signs: a sign is told beyond a bar of its own.
"""

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from tests.replays.audits.teams import Jack, Modest, Soloist, episodes, team

from hocket.replays.audits.audit import Audited, audit
from hocket.runtime.policy import Agent

AA, FC = "overcooked:asymmetric_advantages", "overcooked:forced_coordination"
COMMONS = "harvest:no_thinning"
CLEANERS, EATERS = range(3), range(3, 7)


def _alike(agent: Agent) -> list[Agent]:
    return [agent] * 7


TEAMS: dict[str, tuple[str, Callable[[], Sequence[Agent]], int]] = {
    "one works": (AA, lambda: team(AA, "scripted:cook", "idle"), 5),
    "two soloists": (AA, lambda: [Soloist(), Soloist()], 5),
    "hand over": (FC, lambda: team(FC, "scripted:cook", "scripted:cook"), 5),
    "cleaners and eaters": ("cleanup", lambda: team("cleanup", *["scripted:cleaner"] * 3, *["scripted:eater"] * 4), 8),
    "jacks": ("cleanup", lambda: _alike(Jack()), 8),
    "greedy": (COMMONS, lambda: team(COMMONS, *["scripted:eater"] * 7), 3),
    "restrained": (COMMONS, lambda: _alike(Modest()), 3),
}


@cache
def _audited(name: str) -> Audited:
    game, cast, count = TEAMS[name]
    if game in ("cleanup", COMMONS):
        pytest.importorskip("dmlab2d")
    return audit(episodes(game, cast(), count))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("one works", ["idler"]),
        ("two soloists", ["independent"]),
        ("hand over", ["hand-over"]),
        ("cleaners and eaters", ["roles"]),
        ("jacks", []),
        ("greedy", ["depletion"]),
        ("restrained", ["restraint"]),
    ],
)
def test_each_behaviour_is_found_and_no_other(name: str, expected: list[str]) -> None:
    """Whoever reads the signs alone is not misled."""
    found = _audited(name)

    assert [sign.name for sign in found.signs()] == expected, found.signs()


def test_one_works_and_one_idles() -> None:
    """As the paper's team on asymmetric_advantages: the return does not say that it is one cook's."""
    found = _audited("one works").findings
    work, idleness, handoffs = found["work"], found["idleness"], found["handoffs"]

    assert (work.share(0), work.share(1)) == (1, 0)
    assert work.inequality == 0.5
    assert idleness.share(1) == 1
    assert idleness.share(0) < 0.25
    assert (handoffs.handoffs, handoffs.shared) == (0, 0)
    assert handoffs.deliveries > 40


def test_independent_workers_share_nothing() -> None:
    """Both deliver, neither touches what the other has touched."""
    found = _audited("two soloists").findings
    work, idleness, handoffs = found["work"], found["idleness"], found["handoffs"]

    assert all(0.35 < work.share(seat) < 0.65 for seat in (0, 1))
    assert all(idleness.share(seat) < 0.05 for seat in (0, 1))
    assert (handoffs.handoffs, handoffs.shared) == (0, 0)
    assert handoffs.deliveries >= 75


def test_where_walls_demand_it_things_are_handed_over() -> None:
    """On forced_coordination each soup is three onions and a dish, each from one hand to the other."""
    found = _audited("hand over").findings
    work, handoffs = found["work"], found["handoffs"]

    assert handoffs.interdependence == 1
    assert handoffs.handoffs >= 4 * handoffs.deliveries
    assert handoffs.received[0] == 0 or handoffs.received[1] == 0
    assert all(0.35 < work.share(seat) < 0.65 for seat in (0, 1))


def test_cleaners_and_eaters_have_roles_and_places_of_their_own_and_seven_alike_have_not() -> None:
    """The paper's figure 3: where a seat stands and what it chooses tell its role."""
    roles, alike = (_audited(name).findings for name in ("cleaners and eaters", "jacks"))

    assert roles["specialisation"].explained() > 0.5
    assert alike["specialisation"].explained() < 0.05
    across = [roles["territory"].overlap(one, other) for one in CLEANERS for other in EATERS]
    assert max(across) < 0.05
    assert roles["territory"].mean_overlap < 0.35
    assert alike["territory"].mean_overlap > 0.45
    assert [roles["deeds"].mean(seat, "ate") for seat in CLEANERS] == [0, 0, 0]
    assert [roles["deeds"].mean(seat, "cleaned") for seat in EATERS] == [0, 0, 0, 0]
    assert all(roles["deeds"].mean(seat, "ate") > 30 for seat in EATERS)


def test_a_return_hides_what_became_of_the_commons() -> None:
    """The paper's figure 2: survival curves far apart, returns close."""
    greedy, restrained = _audited("greedy"), _audited("restrained")
    gone, kept = (each.findings["sustainability"] for each in (greedy, restrained))
    returns = [sum(each.returns) / len(each.returns) for each in (greedy, restrained)]

    assert abs(returns[0] - returns[1]) < 0.25 * max(returns)
    assert gone.curve[0] == kept.curve[0] == 6
    assert gone.curve[100] == gone.curve[-1] == 0
    assert min(kept.curve) >= 5
    assert greedy.findings["idleness"].share(0) < 0.05
    late = [each.findings["social"].sustainability for each in (greedy, restrained)]
    assert late[1][0] / late[1][1] > 3 * late[0][0] / late[0][1]


def test_where_nothing_can_be_earned_it_is_said_and_the_idler_is_still_found() -> None:
    """Whoever acts beside an idle partner on forced_coordination does it for nothing."""
    found = audit(episodes(FC, team(FC, "idle", "random"), 2))

    assert [sign.name for sign in found.signs()] == ["nothing earned", "idler"]
