"""The published failures of small frozen models, looked for in ours: reported, without a bar.

asymmetric_advantages, two seats of one frozen base, no adapter, temperature 1. By interface:
decisions per seat and tick (the call ratio), the share of the commonest primitive action or
option among the choices, replies that could not be read or were not on the menu, deliveries.
`mass` is what the whole distribution puts on its favourite letter, whatever stands there.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from math import exp
from typing import Any

from hocket.agents.idle import Idle
from hocket.agents.llm import LocalModel
from hocket.agents.local import Local
from hocket.agents.named_base import find_base
from hocket.agents.style import Profile, Style
from hocket.games import registry
from hocket.learners.own_guards import own_guards
from hocket.runtime.events import ChoiceRejected, Event, MenuOffered, OptionChosen, Stepped
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

GAME = "overcooked:asymmetric_advantages"
CELLS = (
    ("native", "letter"),
    ("native", "generate"),
    ("menu", "letter"),
    ("menu", "text"),
    ("menu", "two_line"),
    ("menu", "generate"),
    ("json", "json"),
)


def episode(backend: Local, interface: str, style: Style, steps: int, seed: int) -> list[Event]:
    game = registry.make(GAME)
    library = registry.library(game, "primitives" if interface == "native" else "default")
    guards = own_guards(game, library).guards if interface == "menu" else ()
    model = LocalModel(backend, game.words, style)
    for seat in range(game.seats):
        model.seat(seat, None)
    names = ["llm"] * game.seats
    scheduler = Scheduler(game, library, seed=seed, holders=names, steps=steps, guards=guards)
    events: list[Event] = []
    play([Rollout(scheduler, Seats([Holder("llm", model)] * game.seats, Holder("idle", Idle())), events.extend)])
    return events


def told(events: Sequence[Event], steps: int) -> dict[str, object]:
    offered = sum(isinstance(event, MenuOffered) for event in events)
    chosen = [event for event in events if isinstance(event, OptionChosen)]
    rejected = Counter(event.reason for event in events if isinstance(event, ChoiceRejected))
    primitives: Counter[int] = Counter()
    for event in events:
        if isinstance(event, Stepped):
            primitives.update(event.joint)
    letters: defaultdict[int, float] = defaultdict(float)
    for choice in chosen:
        for place, log_prob in enumerate(choice.receipt.menu if choice.receipt else ()):
            letters[place] += exp(log_prob) / len(chosen)
    delivered = sum(each.kind == "delivered" for event in events if isinstance(event, Stepped) for each in event.events)
    options = Counter(choice.option.partition("@")[0] for choice in chosen)
    return {
        "decisions": offered,
        "call_ratio": round(offered / (2 * steps), 2),
        "commonest_option": options.most_common(1)[0][0] if options else "",
        "its_share": round(max(options.values(), default=0) / max(1, len(chosen)), 3),
        "commonest_primitive_share": round(max(primitives.values()) / sum(primitives.values()), 3),
        "mass_on_favourite_letter": round(max(letters.values(), default=0.0), 2),
        "malformed": round(rejected["malformed"] / offered, 3),
        "not_on_the_menu": round(rejected["not on the menu"] / offered, 3),
        "deliveries": delivered,
    }


def report(name: str, profile: Profile, ticks: dict[str, int], threads: int) -> None:
    backend = Local(find_base(name), threads=threads)
    for interface, scorer in CELLS:
        style: Any = Style(profile, scorer)  # type: ignore[arg-type]
        steps = ticks["written" if scorer in ("generate", "json") else "scored"]
        events = episode(backend, interface, style, steps, seed=1)
        cell = {"bench": "interfaces", "model": backend.base.name, "interface": interface, "scorer": scorer}
        print(json.dumps(cell | {"ticks": steps} | told(events, steps)), flush=True)


def main() -> None:
    report("", "brief", {"scored": 400, "written": 400}, threads=1)
    report("smollm2", "full", {"scored": 40, "written": 12}, threads=2)


if __name__ == "__main__":
    main()
