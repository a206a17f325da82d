"""The chapter of a training run: what was earned and done, by round."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hocket.learners.checkpoint import METRICS, RESULT, RUN
from hocket.learners.report.curves import lines, returns_by_round
from hocket.learners.report.parts import Chapter, Fold, Part, Table, Words
from hocket.learners.report.settings import flat
from hocket.replays.audits.text import NOTHING
from hocket.replays.statistics import estimate
from hocket.runtime.errors import FileError
from hocket.runtime.struct_file import read_json

_KINDS = 4
"""Game events that have a curve: those that are worth something, then those that happen most in the best round."""
_FIRST = ("delivered", "ate", "cleaned")


class _Updated(msgspec.Struct, frozen=True):
    """What is read of an adapter's update, in nats."""

    entropy: float | None = None
    kl: float | None = None


class _Round(msgspec.Struct, frozen=True):
    """What is read of a line of metrics."""

    round: int
    team_return: float
    returns: Annotated[tuple[float, ...], Meta(min_length=1)]
    events: dict[str, float] = {}
    shares: dict[str, dict[str, float]] = {}
    updated: dict[str, _Updated] = {}


class _Result(msgspec.Struct, frozen=True):
    """What is read of what came of a run."""

    returns: Annotated[tuple[float, ...], Meta(min_length=1)]
    best_round: int | None = None
    greedy_return: float | None = None
    solo_returns: dict[str, float] = {}
    events: dict[str, float] = {}


class _Run(msgspec.Struct, frozen=True):
    """What is read of what a run depends on."""

    preset: str
    config: dict[str, Any]
    versions: dict[str, str] = {}
    base: str = ""
    game: str = ""
    library: str = ""

    def __post_init__(self) -> None:
        """Refuse a configuration of no game.

        Raises:
            ValueError: it has none that is named.
        """
        game = self.config.get("game")
        if not isinstance(game, dict) or not isinstance(game.get("name"), str):
            raise ValueError("its config names no game")

    @property
    def played(self) -> str:
        """Name of the game."""
        return str(self.config["game"]["name"])


def training_chapter(folder: Path, number: int, where: str) -> Chapter:
    """Write the chapter of a run.

    Args:
        folder: of the run.
        number: of it among those of the page, from 1.
        where: the folder is, as the page has it.

    Raises:
        FileError: a file of it does not read.
    """
    run = read_json(folder / RUN, _Run, "run")
    rounds = _rounds(folder / METRICS)
    result = read_json(folder / RESULT, _Result, "outcome") if (folder / RESULT).is_file() else None
    parts: list[Part] = [Words(tuple(_opening(run, rounds, result, where)))]
    if rounds:
        best = _best(rounds, result)
        parts += [*_curves(rounds, best, f"training-{number}"), *_shares(rounds, best)]
    parts.append(_settings(run))
    return Chapter(f"training-{number}", f"Training {number}: {run.preset}", tuple(parts))


def _rounds(path: Path) -> list[_Round]:
    """Read the lines of metrics; the last may be half a line, since a run may be going on.

    Raises:
        FileError: one of the others does not read, or nothing can be read.
    """
    try:
        *whole, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise FileError(path=path, problem=(error.strerror or "cannot be read").lower()) from error
    found = []
    for number, line in enumerate(whole, 1):
        try:
            found.append(msgspec.json.decode(line, type=_Round))
        except (msgspec.DecodeError, RecursionError) as error:
            problem = f"line {number} of its {path.name} does not read: {error}"
            raise FileError(path=path.parent, problem=problem) from error
    with suppress(msgspec.DecodeError, RecursionError):
        found.append(msgspec.json.decode(rest, type=_Round))
    return found


def _best(rounds: Sequence[_Round], result: _Result | None) -> int:
    """Return the place of the round with the highest return; of several, the last, as training has it."""
    if result is not None and result.best_round is not None:
        for place, each in enumerate(rounds):
            if each.round == result.best_round:
                return place
    return max(range(len(rounds)), key=lambda place: (rounds[place].team_return, place))


def _opening(run: _Run, rounds: Sequence[_Round], result: _Result | None, where: str) -> Iterator[str]:
    yield f"{where}: {run.played}, {len(rounds)} rounds. Rollouts that it learned from are not among the teams."
    if result is None:
        yield "There is no result: the run is not over."
        return
    greedy = "" if result.greedy_return is None else f"; {result.greedy_return:g} where the likeliest is chosen"
    yield f"Evaluated: {estimate(result.returns)}, {len(result.returns)} episodes, 95% bootstrap interval{greedy}."
    if result.solo_returns:
        alone = ", ".join(f"seat {seat} {value:g}" for seat, value in result.solo_returns.items())
        yield f"Alone, with idle partners: {alone}."
    if result.events:
        happened = ", ".join(f"{kind.replace('_', ' ')} {value:g}" for kind, value in result.events.items())
        yield f"In an evaluation episode, on average: {happened}."


def _curves(rounds: Sequence[_Round], best: int, name: str) -> Iterator[Part]:
    spans = [(min(each.returns), max(each.returns)) for each in rounds]
    yield returns_by_round([each.team_return for each in rounds], spans, best, f"{name}-return")
    events = rounds[best].events
    kinds = sorted(events, key=lambda kind: (kind not in _FIRST, -events[kind], kind))[:_KINDS]
    if kinds:
        found = {kind.replace("_", " "): [each.events.get(kind, 0.0) for each in rounds] for kind in kinds}
        yield lines("What happens in a rollout, by round", "events of a rollout", found, f"{name}-events")
    for key, title in (("entropy", "Entropy of decisions, by round"), ("kl", "KL to the reference, by round")):
        adapters = dict.fromkeys(adapter for each in rounds for adapter in each.updated)
        updates = {adapter: [each.updated.get(adapter, _Updated()) for each in rounds] for adapter in adapters}
        curves = {adapter: [getattr(each, key) for each in found] for adapter, found in updates.items()}
        if any(any(values) for values in curves.values()):
            yield lines(title, "nats", curves, f"{name}-{key}")


def _shares(rounds: Sequence[_Round], best: int) -> Iterator[Table]:
    """Say what each seat chose in the first round, the best and the last."""
    places = list(dict.fromkeys([0, best, len(rounds) - 1]))
    for seat in rounds[best].shares:
        options = sorted({option for place in places for option in rounds[place].shares.get(seat, {})})
        rows = [(option, *(_share(rounds[place], seat, option) for place in places)) for option in options]
        columns = ("option", *(f"round {rounds[place].round}{' (best)' * (place == best)}" for place in places))
        yield Table(f"What seat {seat} chose", columns, tuple(rows))


def _share(each: _Round, seat: str, option: str) -> str:
    value = each.shares.get(seat, {}).get(option)
    return NOTHING if value is None else f"{value:.0%}"


def _settings(run: _Run) -> Fold:
    rows = [("preset", run.preset), *flat(run.config)]
    rows += [(f"digest of the {what}", said) for what, said in (("base", run.base), ("game", run.game)) if said]
    rows += [("option library", run.library or NOTHING)]
    rows += [("versions", ", ".join(f"{name} {version}" for name, version in run.versions.items()))]
    return Fold("Settings and digests", (Table("Settings", ("setting", "value"), tuple(rows), plain=True),))
