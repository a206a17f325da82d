"""What came of a run, as one object."""

import msgspec


class Outcome(msgspec.Struct, frozen=True):
    """What came of a run."""

    preset: str
    final_return: float
    """Mean of the evaluation episodes, sampled at the preset's temperature, in game points."""
    best_return: float | None
    """The best that the game allows, where that is known."""
    rounds: int
    seconds: float
    """Of wall time, of this process."""
    best_round: int | None
    """Whose adapters were evaluated: those with the highest team return while training."""
    greedy_return: float | None
    solo_returns: dict[str, float]
    """Of each seat with idle partners."""
    events: dict[str, float]
    """Game events of an evaluation episode, by kind, on average."""
    returns: tuple[float, ...]
    """Of the evaluation episodes."""
    without_spread: float
    """Share of the cohorts in which no rollout did better than another."""
    adapters: dict[str, str]
    """Folder of the adapter of each seat, in the run's folder."""
