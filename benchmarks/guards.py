"""What guards are worth: the share of options that fail, before and after.

Uniform random play, 500 solo and 500 team episodes of 150 ticks from varied starts a
layout; `wait` is left out, as it cannot fail, and so is what timed out or was cut off.
Each remaining cause is printed with the logged successes that veto a guard on it.
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games.registry import library, make
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import SUCCESS, Log
from hocket.learners.counts import Counts, mined_from
from hocket.learners.own_guards import own_guards
from hocket.runtime.events import Event, OptionEnded, OptionStarted
from hocket.runtime.guard import Guard
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

LAYOUTS = ("asymmetric_advantages", "forced_coordination", "cramped_room")
EPISODES, STEPS, FIRST_SEED = 500, 150, 50_000
BARS = {("asymmetric_advantages", "solo"): 0.03, ("asymmetric_advantages", "team"): 0.06}
SHOWN = 4


class Tally:
    """Outcomes of the options of some seats, and the features with which failed ones began."""

    def __init__(self, layout: str) -> None:
        self.game = make(f"overcooked:{layout}")
        self.library = library(self.game)
        self.outcomes: Counter[str] = Counter()
        self.causes: Counter[tuple[str, str]] = Counter()

    def play(self, kind: str, guards: tuple[Guard, ...]) -> None:
        """Play the fresh episodes; in a solo one the other seats wait."""
        for number in range(EPISODES):
            acting = (number % self.game.seats,) if kind == "solo" else tuple(range(self.game.seats))
            holders = [RANDOM if seat in acting else IDLE for seat in range(self.game.seats)]
            scheduler = Scheduler(
                self.game,
                self.library,
                seed=FIRST_SEED + number,
                holders=[holder.name for holder in holders],
                steps=STEPS,
                starts="varied",
                guards=guards,
            )
            self._begun: dict[int, str] = {}
            self._facts = scheduler.facts()
            play([Rollout(scheduler, Seats(holders, IDLE), lambda events: self._hear(scheduler, acting, events))])  # noqa: B023

    def _hear(self, scheduler: Scheduler[tuple[int, ...]], acting: tuple[int, ...], events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, OptionStarted) and event.seat in acting:
                self._begun[event.seat] = self._features(event)
            if isinstance(event, OptionEnded) and event.seat in acting and event.option != "wait":
                outcome = event.outcome.partition(":")[0]
                self.outcomes[outcome] += 1
                if outcome in ("effect_fail", "explicit"):
                    self.causes[event.option.partition("@")[0], self._begun[event.seat]] += 1
        self._facts = scheduler.facts()

    def _features(self, event: OptionStarted) -> str:
        option = self.library.by_name[event.option.partition("@")[0]]
        [aim] = [each for each in option.instances(self._facts, event.seat) if each.key == event.option]
        codes = option.read(aim, self._facts, event.seat)
        values = [each.values[code] for each, code in zip(option.reads, codes, strict=True)]
        return ", ".join(f"{each.name} {value}" for each, value in zip(option.reads, values, strict=True))

    def share(self) -> float:
        """Failed of all that succeeded or failed."""
        failed = self.outcomes["effect_fail"] + self.outcomes["explicit"]
        return failed / (failed + self.outcomes["success"])


RANDOM, IDLE = Holder("random", Random()), Holder("idle", Idle())


def vetoes(layout: str, folder: Path) -> dict[tuple[str, str], int]:
    """Count the successes of the log that the layout's guards were mined from, by option and read features."""
    game = make(f"overcooked:{layout}")
    mined = own_guards(game, library(game)).log
    plan = manifest(
        game,
        library(game),
        seed=mined.seed,
        solo=mined.solo,
        team=mined.team,
        steps=mined.steps,
        starts=mined.starts,
        policy=mined.policy,
    )
    log = Log.begin(folder / layout, plan)
    burn_in(log)
    counts = Counts(log.manifest, log.chunks())
    found = {}
    for number, option in enumerate(counts.options):
        for values, count in zip(option.read_values(), counts.of(number, SUCCESS, mined_from(option)), strict=True):
            found[option.name, ", ".join(f"{name} {value}" for name, value in values.items())] = int(count)
    return found


def main() -> int:
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for layout in LAYOUTS:
            veto = vetoes(layout, Path(folder))
            for kind in ("solo", "team"):
                before, after = Tally(layout), Tally(layout)
                before.play(kind, ())
                after.play(kind, own_guards(after.game, after.library).guards)
                bar = BARS.get((layout, kind))
                missed |= bar is not None and after.share() > bar
                causes = [
                    {"option": cause[0], "features": cause[1], "failed": count, "vetoed_by": veto.get(cause, 0)}
                    for cause, count in after.causes.most_common(SHOWN)
                ]
                line = {
                    "bench": "guards",
                    "layout": layout,
                    "kind": kind,
                    "failed_before": round(before.share(), 4),
                    "failed_after": round(after.share(), 4),
                    "bar": bar,
                    "causes": causes,
                }
                print(json.dumps(line), flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
