"""Faults drawn by the seed: apart by seat, and the same again from their list."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.simulated import Slow, simulated

from hocket.agents.random import Random
from hocket.runtime.drawn import Drawn
from hocket.runtime.errors import SettingError
from hocket.runtime.fault_profile import SPOILS, AgentFaults, FaultProfile, Link, Window
from hocket.runtime.incident import Incident, read_incident
from hocket.runtime.latency import Constant, Latency, LogNormal, Recorded, Uniform
from hocket.runtime.listed import Listed
from hocket.runtime.policy import Agent

PARTS = ("link", "partition", "hold", "crash", "agent")
SEEDS = st.integers(0, 2**63 - 1)
SEATS = st.sampled_from([None, None, (0,), (1,), (0, 1)])
CHANCES = st.sampled_from([0.0, 0.1, 0.5, 1.0])
LATENCIES: st.SearchStrategy[Latency] = st.one_of(
    st.builds(Constant, st.integers(0, 4)),
    st.builds(lambda least, more: Uniform(least, least + more), st.integers(0, 2), st.integers(0, 5)),
    st.builds(LogNormal, st.floats(0.1, 5), st.floats(0, 2), st.integers(0, 30)),
    st.builds(Recorded, st.lists(st.integers(0, 6), min_size=1, max_size=4).map(tuple)),
)
LINKS = st.builds(
    Link,
    seats=SEATS,
    carries=st.sampled_from([("offer", "choice"), ("offer",), ("choice",)]),
    latency=LATENCIES,
    jitter=st.integers(0, 2),
    drop=CHANCES,
    duplicate=CHANCES,
    reorder=CHANCES,
    behind=st.integers(1, 6),
)
WINDOWS = st.builds(
    Window,
    seats=SEATS,
    start=st.integers(0, 20),
    ticks=st.integers(1, 8) | st.none(),
    every=st.integers(1, 12) | st.none(),
    spread=st.integers(0, 6),
    chance=CHANCES,
)
AGENTS = st.builds(
    lambda seats, latency, lateness, spoils: AgentFaults(
        seats=seats, latency=latency, lateness=lateness, **{spoil: 1 / len(spoils) / 2 for spoil in spoils}
    ),
    SEATS,
    LATENCIES,
    LATENCIES,
    st.lists(st.sampled_from(SPOILS), unique=True),
)
PROFILES = st.builds(
    FaultProfile,
    link=st.lists(LINKS, max_size=2).map(tuple),
    partition=st.lists(WINDOWS, max_size=2).map(tuple),
    hold=st.lists(WINDOWS, max_size=2).map(tuple),
    crash=st.lists(WINDOWS, max_size=2).map(tuple),
    agent=st.lists(AGENTS, max_size=2).map(tuple),
)


def drawn(profile: FaultProfile, seed: int = 0, seats: int = 2, steps: int = 1000) -> Drawn:
    """Draw for two seats and a thousand ticks."""
    return Drawn(profile, seed=seed, seats=seats, steps=steps)


def for_bo(entry: Link | Window | AgentFaults) -> Link | Window | AgentFaults:
    """An entry that concerns ada no more."""
    return msgspec.structs.replace(entry, seats=(1,) if entry.concerns(1) else ())


def everything(faults: Drawn, seat: int, decisions: range) -> list[object]:
    """All that a seat has to fear in some decisions."""
    asked = [[faults.message("offer", seat, each), faults.message("choice", seat, each)] for each in decisions]
    return [
        asked,
        [(faults.thinking(seat, each), faults.answer(seat, each)) for each in decisions],
        [each for each in faults.windows if each.seat == seat],
    ]


@given(SEEDS, PROFILES, st.integers(0, 2**30))
@settings(max_examples=40)
def test_a_draw_depends_on_nothing_but_seed_seat_and_decision(seed: int, profile: FaultProfile, first: int) -> None:
    """Not on what was asked before, nor how often."""
    asked = drawn(profile, seed)
    for decision in range(5):
        everything(asked, 0, range(decision))
        asked.message("offer", 1, first + decision)

    decisions = range(first, first + 5)
    fresh = drawn(profile, seed)
    assert everything(asked, 1, decisions) == everything(fresh, 1, decisions) == everything(fresh, 1, decisions)


@given(SEEDS, PROFILES)
@settings(max_examples=40)
def test_faults_of_one_seat_shift_none_of_another(seed: int, profile: FaultProfile) -> None:
    """Bo's evening is the same whether or not anything can happen to ada."""

    parts = {part: [for_bo(entry) for entry in getattr(profile, part)] for part in PARTS}
    spared = msgspec.convert(msgspec.to_builtins(parts), FaultProfile)
    whole, other = drawn(profile, seed, steps=60), drawn(spared, seed, steps=60)

    assert everything(whole, 1, range(30)) == everything(other, 1, range(30))
    assert not other.message("offer", 0, 3)
    assert not [each for each in other.windows if each.seat == 0]


@given(
    SEEDS,
    PROFILES,
    st.sampled_from(["", "deadline:3", "deadline:0,misses:1,back:1", "deadline:6,meanwhile:wait,misses:2"]),
)
@settings(max_examples=60)
def test_what_was_drawn_makes_the_same_episode_as_a_list(seed: int, profile: FaultProfile, terms: str) -> None:
    """As objects, and as the text that a search prints; only so can a schedule be made smaller."""
    agents: list[Agent] = [Random(), Slow()]
    faults = Drawn(profile, seed=seed, seats=2, steps=30)

    played = simulated(happening=faults, agents=agents, terms=terms, seed=seed, steps=30)
    texts = [str(each) for each in faults.incidents]
    again = simulated(*texts, agents=agents, terms=terms, seed=seed, steps=30)

    assert again.trace.events == played.trace.events
    assert tuple(map(read_incident, texts)) == faults.incidents


def test_windows_that_fall_together_are_one() -> None:
    """Two tables may say the same; what begins on one tick is on record once, as it is when listed."""
    profile = FaultProfile(hold=(Window(start=3, ticks=2), Window(start=3, ticks=2)))

    faults = drawn(profile)

    assert faults.windows == (Incident("hold", 0, 3, ticks=2), Incident("hold", 1, 3, ticks=2))
    assert Listed(faults.incidents).windows == faults.windows


def test_another_seed_draws_otherwise() -> None:
    """Else the tests above would show nothing."""
    profile = FaultProfile(link=(Link(drop=0.5),))

    one, other = (everything(drawn(profile, seed), 0, range(64)) for seed in (1, 2))

    assert one != other


def test_seats_are_drawn_apart() -> None:
    """What befalls one does not befall the other at the same time."""
    faults = drawn(FaultProfile(link=(Link(drop=0.5),), hold=(Window(every=10, ticks=1, chance=0.5),)))

    ada, bo = ([bool(faults.message("offer", seat, each)) for each in range(200)] for seat in (0, 1))
    held = [{each.at for each in faults.windows if each.seat == seat} for seat in (0, 1)]

    assert 60 < sum(one != other for one, other in zip(ada, bo, strict=True)) < 140
    assert held[0] - held[1]
    assert held[1] - held[0]


@pytest.mark.parametrize("kind", ["drop", "duplicate", "reorder"])
def test_a_message_meets_a_fault_as_often_as_it_says(kind: str) -> None:
    """A quarter of four thousand, within five deviations; of the choices alone where the link carries those."""
    faults = drawn(FaultProfile(link=(Link(carries=("choice",), **{kind: 0.25}),)))  # type: ignore[arg-type]

    met = [bool(faults.message("choice", 0, decision)) for decision in range(4000)]

    assert 1000 - 5 * 27 < sum(met) < 1000 + 5 * 27
    assert not any(faults.message("offer", 0, decision) for decision in range(100))


def test_the_faults_of_an_agent_share_out_its_answers() -> None:
    """Each with its own chance, one at most an answer."""
    faults = drawn(FaultProfile(agent=(AgentFaults(late=0.2, never=0.3, stale=0.1),)))

    met = [faults.answer(0, decision) for decision in range(4000)]

    counts = {kind: sum(each is not None and each.kind == kind for each in met) for kind in SPOILS}
    assert {kind for kind, count in counts.items() if count} == {"late", "never", "stale"}
    assert counts["late"] == pytest.approx(800, abs=130)
    assert counts["never"] == pytest.approx(1200, abs=150)
    assert counts["stale"] == pytest.approx(400, abs=100)
    assert met.count(None) == pytest.approx(1600, abs=160)


def test_a_chance_of_one_is_certain_and_of_none_impossible() -> None:
    """Whatever the draw."""
    faults = drawn(FaultProfile(link=(Link(drop=1.0),), agent=(AgentFaults(never=1.0),), crash=(Window(chance=0.0),)))

    for decision in range(300):
        assert faults.message("offer", 0, decision) == (Incident("drop", 0, decision, "offer"),)
        assert faults.answer(1, decision) == Incident("never", 1, decision)
    assert faults.windows == ()


def test_latencies_of_several_links_add_up() -> None:
    """As do those of several entries on an agent."""
    faults = drawn(
        FaultProfile(
            link=(Link(latency=Constant(2)), Link(seats=(1,), latency=Constant(3))),
            agent=(AgentFaults(latency=Constant(1)), AgentFaults(seats=(0,), latency=Recorded((4, 6)))),
        )
    )

    assert faults.message("offer", 0, 7) == (Incident("delay", 0, 7, "offer", 2),)
    assert faults.message("offer", 1, 7) == (Incident("delay", 1, 7, "offer", 5),)
    assert [faults.thinking(0, decision) for decision in (0, 1)] == [
        Incident("think", 0, 0, ticks=5),
        Incident("think", 0, 1, ticks=7),
    ]


def test_jitter_adds_up_to_so_many_ticks() -> None:
    """And no more; every number comes."""
    faults = drawn(FaultProfile(link=(Link(latency=Constant(2), jitter=3),)))

    delays = [faults.message("choice", 0, decision)[0].ticks for decision in range(200)]

    assert sorted(set(delays)) == [2, 3, 4, 5]


def test_what_is_lost_is_nothing_else_besides() -> None:
    """A message that one link drops is neither late nor doubled by another."""
    faults = drawn(FaultProfile(link=(Link(latency=Constant(5), duplicate=1.0), Link(drop=1.0))))

    assert faults.message("offer", 0, 0) == (Incident("drop", 0, 0, "offer"),)


def test_windows_come_again_and_within_their_spread() -> None:
    """From their start on, at most so much later, and none behind the end of the episode."""
    faults = drawn(FaultProfile(partition=(Window(seats=(1,), start=10, every=100, spread=30, ticks=7),)), steps=520)

    assert [each.at // 100 for each in faults.windows] == [
        0,
        1,
        2,
        3,
        4,
        *([5] if faults.windows[-1].at >= 500 else []),
    ]
    assert all(10 <= each.at % 100 <= 40 for each in faults.windows)
    assert {(each.kind, each.seat, each.ticks) for each in faults.windows} == {("partition", 1, 7)}
    assert len({each.at % 100 for each in faults.windows}) > 1


def test_whether_a_window_comes_says_nothing_about_when() -> None:
    """Half of them come, and those anywhere in their spread."""
    faults = drawn(FaultProfile(hold=(Window(seats=(0,), every=100, spread=99, ticks=1, chance=0.5),)), steps=40_000)

    within = [each.at % 100 for each in faults.windows]

    assert len(within) == pytest.approx(200, abs=50)
    assert sum(each < 50 for each in within) == pytest.approx(len(within) / 2, abs=40)


def test_a_window_that_is_never_over_has_no_ticks() -> None:
    """As its text has it."""
    faults = drawn(FaultProfile(crash=(Window(seats=(0,), start=4),)))

    assert [str(each) for each in faults.windows] == ["crash:0:4:0"]


def test_windows_behind_the_end_do_not_come() -> None:
    """They would only make a list longer."""
    assert drawn(FaultProfile(hold=(Window(start=60),)), steps=60).incidents == ()


def test_only_what_was_asked_for_is_kept() -> None:
    """A list of all that could have happened would never end."""
    faults = drawn(FaultProfile(link=(Link(drop=1.0),), crash=(Window(seats=(0,), start=2, ticks=1),)))

    faults.message("offer", 1, 6)
    faults.message("offer", 1, 6)

    assert faults.incidents == (Incident("crash", 0, 2, ticks=1), Incident("drop", 1, 6, "offer"))


def test_a_seat_that_the_game_has_not_is_refused() -> None:
    """Before anything is played; the profile may be for another game."""
    with pytest.raises(SettingError) as refused:
        drawn(FaultProfile(agent=(AgentFaults(seats=(0, 2, 3)),)))

    assert str(refused.value) == "a seat of the fault profile is 2, but must be 0 to 1, the seats of the game"
