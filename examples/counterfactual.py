"""What would the team have got from here on without seat 1?

One episode, forked ten times:

    python examples/counterfactual.py

The same of any trace, from the command line: hocket fork TRACE --every 36 --seat 1=idle
"""

from hocket.agents.idle import Idle
from hocket.agents.scripted.cook import Cook
from hocket.replays.branch import Branch
from hocket.replays.decisions import decisions
from hocket.replays.episodes import Episodes
from hocket.replays.fork import fork
from hocket.runtime.seats import Holder

cook, idle = Holder("cook", Cook()), Holder("idle", Idle())
trace = Episodes()("overcooked:asymmetric_advantages", [cook.agent, cook.agent], seed=7)

print("tick  so far  alone from here on  together")
for decision in decisions(trace)[::36]:
    branch = Branch(trace, decision)
    found = fork(trace, branch, [cook, cook], {1: idle}, idle)
    print(f"{found.tick:>4} {found.so_far:>7g} {found.fork:>19g} {found.recorded:>9g}")
