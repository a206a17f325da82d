"""Episodes of teams by names: the same here and in other processes, and kept."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.learners.contest import AT_ONCE, play_all, play_piece
from hocket.learners.crossplay import matrix, pairings
from hocket.learners.match import Match, Piece, Score, Terms, trace_of
from hocket.learners.results import Results
from hocket.learners.solo import alone, solos
from hocket.replays.rerun import rerun
from hocket.replays.trace import LibraryMark, read_trace
from hocket.runtime.errors import FileError
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

OWN = """
from hocket.runtime.policy import Choice

class Counting:
    '''Waits, and raises where it is asked about another episode's first decision.'''

    def __init__(self):
        self.asked = 0

    async def choose(self, offer):
        assert offer.decision == self.asked
        self.asked += 1
        return Choice(offer.menu.keys.index("wait"))
"""


def terms(name: str = "pantry", steps: int = 30, **settings: object) -> Terms:
    """Short episodes without guards."""
    game = registry.make(name, settings)
    library = registry.library(game)
    return Terms(game.spec, LibraryMark(library.name, library.version, library.digest), (), steps)


def by_hand(match: Match, seed: int) -> tuple[float, ...]:
    """One episode of a random pair."""
    game = registry.rebuild(match.terms.game)
    scheduler = Scheduler(
        game,
        registry.library(game),
        seed=seed,
        holders=match.agents,
        steps=match.terms.steps,
        starts=match.terms.starts,
    )
    [result] = play([Rollout(scheduler, Seats([Holder("random", Random())] * 2, Holder("idle", Idle())))])
    return result.returns


def test_a_match_is_its_episodes(tmp_path: Path) -> None:
    """More than advance together; each as if it had been played alone."""
    match = Match(terms(), ("random", "random"), tuple(range(AT_ONCE + 3)))

    score = play_piece(Piece(match))

    assert list(score.returns) == [by_hand(match, seed) for seed in match.seeds]
    assert score.names == ("random", "random")
    assert score.team == [sum(each) for each in score.returns]
    assert len(set(score.team)) > 1


def test_agents_that_answer_in_their_own_time_are_made_anew_for_each_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one remembers of an episode must not reach the next."""
    (tmp_path / "counts.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    match = Match(terms(), ("counts:Counting", "random"), (0, 1, 2))

    score = play_piece(Piece(match))

    assert len(score.returns) == 3


def test_several_processes_make_the_same_scores() -> None:
    """In the order of the matches."""
    matches = [Match(terms(), pair, (0, 1)) for pair in (("random", "random"), ("idle", "random"), ("random", "idle"))]
    done: list[int] = []

    alone_, together = play_all(matches, processes=1), play_all(matches, processes=2, progress=done.append)

    assert alone_ == together
    assert done == [0, 1, 2]


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    """A score that stands in the folder is taken as it is, episode by episode."""
    match = Match(terms(), ("random", "random"), (0, 1))
    kept = Results(tmp_path / "kept")
    forged = Score(((9.0, 0.0), (9.0, 0.0)), match.agents, (0, 0))
    kept.write(match, forged)

    again = play_all([match, msgspec.structs.replace(match, seeds=(0, 2))], processes=1, kept=kept)

    assert again[0] == forged
    assert again[1].returns == (forged.returns[0], by_hand(match, 2))
    assert list(kept.read(msgspec.structs.replace(match, seeds=(0, 2))).values()) == again[1].episodes()


def test_a_torn_score_is_played_again(tmp_path: Path) -> None:
    """As after a full disk."""
    match = Match(terms(), ("random", "idle"), (0,))
    kept = Results(tmp_path)
    [first] = play_all([match], processes=1, kept=kept)
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:10])

    [second] = play_all([match], processes=1, kept=kept)

    assert first == second


def test_results_that_cannot_be_kept_are_refused_at_once(tmp_path: Path) -> None:
    """Before an hour of episodes."""
    (tmp_path / "file").write_text("", "utf-8")

    with pytest.raises(FileError, match="cannot be written"):
        Results(tmp_path / "file")


def test_every_pair_has_a_cell_and_every_seed_an_episode() -> None:
    """Two seats: both orders. More: the one seat goes round."""
    pairs = list(pairings(terms(), 2, ("random", "idle"), range(3)))
    seven = list(pairings(terms(seats=3), 3, ("random", "idle"), range(4)))

    assert [(number, match.agents) for number, match in pairs] == [
        (0, ("random", "random")),
        (1, ("random", "idle")),
        (2, ("idle", "random")),
        (3, ("idle", "idle")),
    ]
    mixed = [match for number, match in seven if number == 1]
    assert [match.agents.index("random") for match in mixed] == [0, 1, 2]
    assert sorted(seed for match in mixed for seed in match.seeds) == [0, 1, 2, 3]


def test_a_matrix_tells_self_play_from_cross_play() -> None:
    """Returns are put back in order of the seeds, whoever played them in which seat."""
    pairs = list(pairings(terms(seats=3), 3, ("random", "idle"), range(4)))
    scores = [
        (
            number,
            match,
            Score(
                tuple((float(seed + 10 * number), 0.0, 0.0) for seed in match.seeds),
                match.agents,
                (0,) * len(match.seeds),
            ),
        )
        for number, match in pairs
    ]

    found = matrix(("random", "idle"), scores)

    assert [cell.returns for cell in found.cells] == [
        tuple(float(seed + 10 * row) for seed in range(4)) for row in range(4)
    ]
    assert (found.self_play.mean, found.self_play.count) == (16.5, 8)
    assert found.cross_play is not None
    assert (found.cross_play.mean, found.cross_play.count) == (16.5, 8)


def test_alone_an_idle_agent_earns_nothing_and_a_cook_does() -> None:
    """On a kitchen in which either cook can do all of it."""
    game: Any = registry.make("overcooked:asymmetric_advantages")
    named = terms("overcooked:asymmetric_advantages", steps=100)
    agents = ("scripted:cook", "idle")

    found = solos(agents, game.seats, play_all(list(alone(named, game.seats, agents, range(2))), processes=1))

    assert [(each.agent, each.seat, each.able) for each in found] == [
        ("scripted:cook", 0, 2),
        ("scripted:cook", 1, 2),
        ("idle", 0, 0),
        ("idle", 1, 0),
    ]


@pytest.mark.parametrize("processes", [1, 2])
def test_episodes_are_recorded_where_a_folder_is_given(tmp_path: Path, processes: int) -> None:
    """Each under its seed, and what was played before is not played again unless a trace has gone."""
    matches = [Match(terms(), ("random", agent), (3, 4)) for agent in ("random", "idle")]
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    kept = Results(tmp_path / "scores")

    scores = play_all(matches, processes=processes, kept=kept, folders=folders)

    for match, folder, score in zip(matches, folders, scores, strict=True):
        traces = [read_trace(trace_of(folder, seed)) for seed in match.seeds]
        assert [trace.header.seats for trace in traces] == [match.agents] * 2
        assert [trace.events[-1].returns for trace in traces] == list(score.returns)  # type: ignore[union-attr]
        assert all(rerun(trace).difference is None for trace in traces)
    written = trace_of(folders[1], 4)
    written.unlink()
    again: list[int] = []
    assert play_all(matches, processes=1, kept=kept, folders=folders, progress=again.append) == scores
    assert again == [1]
    assert written.is_file()


def test_an_episode_is_played_again_only_where_its_trace_is_not_whole(tmp_path: Path) -> None:
    """More episodes later touch none that are there; one that a crash cut off is made whole."""
    few = Match(terms(), ("random", "random"), tuple(range(AT_ONCE + 2)))
    more = msgspec.structs.replace(few, seeds=tuple(range(AT_ONCE + 4)))
    kept = Results(tmp_path / "scores")
    play_all([few], processes=1, kept=kept, folders=[tmp_path])
    before = {seed: trace_of(tmp_path, seed).stat().st_ino for seed in few.seeds}
    torn = trace_of(tmp_path, 11)
    whole = torn.read_bytes()
    torn.write_bytes(whole[: len(whole) // 2])

    [score] = play_all([more], processes=1, kept=kept, folders=[tmp_path])

    after = {seed: trace_of(tmp_path, seed).stat().st_ino for seed in few.seeds}
    assert {seed for seed in few.seeds if after[seed] != before[seed]} == {11}
    assert torn.read_bytes() == whole
    assert score == play_all([more], processes=1)[0]


def test_a_piece_keeps_its_own_scores_whoever_waits_for_others(tmp_path: Path) -> None:
    """In the process that played it, so that a kill loses no more than what is under way."""
    match = Match(terms(), ("random", "random"), (5, 6))

    score = play_piece(Piece(match, scores=str(tmp_path)))

    assert Results(tmp_path).read(match) == dict(zip(match.seeds, score.episodes(), strict=True))


def test_an_agent_whose_code_has_changed_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its score was not that of what stands there now."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "edited.py").write_text(OWN)
    match = Match(terms(steps=5), ("edited:Counting", "idle"), (0,))
    kept = Results(tmp_path / "scores")
    play_all([match], processes=1, kept=kept)
    assert list(kept.read(match)) == [0]

    (tmp_path / "edited.py").write_text(OWN + "# another")

    assert kept.read(match) == {}
