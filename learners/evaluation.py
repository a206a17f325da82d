"""What a team is worth, on seeds of their own: sampled, greedy, and each seat alone."""

from collections.abc import Mapping, Sequence

import msgspec

from hocket.agents.adapter import Adapter
from hocket.learners.cohort import Played, event_means
from hocket.learners.config import EvaluationPart
from hocket.learners.stage import Scene, Troupe

MOST_AT_ONCE = 20


class Evaluation(msgspec.Struct, frozen=True):
    """Outcomes, as means over episodes."""

    episodes: int
    sampled: float
    """Team return at the preset's temperature, in game points."""
    returns: tuple[float, ...]
    events: dict[str, float]
    """Game events of an episode, by kind."""
    greedy: float | None
    """Team return of the likeliest choices."""
    solo: dict[str, float]
    """Team return of each seat, sampled, with idle partners."""


def evaluate(
    settings: EvaluationPart,
    adapters: Mapping[int, Adapter | None],
    sampled: Troupe,
    greedy: Troupe | None,
) -> Evaluation:
    """Play the evaluation episodes.

    Args:
        settings: which episodes.
        adapters: by seat.
        sampled: plays at the preset's temperature.
        greedy: plays the likeliest choices; None where that is not asked for.
    """
    first = settings.first_seed
    scenes = [Scene(first + place, settings.starts) for place in range(settings.episodes)]
    sampled.take(adapters)
    played = _all(sampled, scenes)
    solo = {}
    for seat in adapters if len(adapters) > 1 else ():
        sampled.take({seat: adapters[seat]})
        solo[str(seat)] = _mean(_all(sampled, scenes))
    likeliest = None
    if greedy is not None:
        greedy.take(adapters)
        likeliest = _mean(_all(greedy, scenes))
    return Evaluation(
        episodes=settings.episodes,
        sampled=_mean(played),
        returns=tuple(each.team_return for each in played),
        events=event_means(played),
        greedy=likeliest,
        solo=solo,
    )


def _all(troupe: Troupe, scenes: Sequence[Scene]) -> list[Played]:
    return [
        each
        for start in range(0, len(scenes), MOST_AT_ONCE)
        for each in troupe.play(scenes[start : start + MOST_AT_ONCE], None)
    ]


def _mean(played: Sequence[Played]) -> float:
    return sum(each.team_return for each in played) / len(played)
