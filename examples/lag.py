"""What a slow line costs a team: two scripted cooks, one kitchen, four networks.

    python examples/lag.py

Virtual time: 400 ticks each, and the same table on every machine.
"""

from hocket.recipe import Recipe, Simulation
from hocket.replays.fault_file import read_profile
from hocket.runtime.contract import Contract
from hocket.runtime.events import EpisodeEnded, OfferLapsed, OptionChosen

COOKS = {0: "scripted:cook", 1: "scripted:cook"}
TERMS = {seat: Contract(deadline=20, meanwhile="wait") for seat in COOKS}

print("network   return  choices  lapsed offers")
for name in ("ideal", "laggy", "lossy", "hostile"):
    recipe = Recipe(game="overcooked:asymmetric_advantages", seats=COOKS, profile=read_profile(name), contracts=TERMS)
    trace = Simulation(recipe).play(seed=1)[0].trace
    end = trace.events[-1]
    assert isinstance(end, EpisodeEnded)
    chosen = sum(isinstance(event, OptionChosen) for event in trace.events)
    lapsed = sum(isinstance(event, OfferLapsed) for event in trace.events)
    print(f"{name:<8} {sum(end.returns):>7g} {chosen:>8} {lapsed:>14}")
