"""All audits over a hundred traces, and memory beside a fifth of them.

Two scripted cooks on asymmetric_advantages, 400 ticks an episode; reading and checking the traces
is part of it. In CPU seconds, on one core; memory is what the process grows by.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from hocket.agents.spec import Cast
from hocket.replays.audits.audit import audit
from hocket.replays.episodes import Episodes
from hocket.replays.trace import encode_trace, read_trace

TRACES, FEW = 100, 20
BAR = 5.0
"""CPU seconds."""
GROWTH = 5.0
"""MiB that four fifths of the traces may add."""


def recorded(folder: Path) -> list[Path]:
    cooks = [Cast("overcooked").holder("scripted:cook", seat).agent for seat in (0, 1)]
    paths = []
    for seed in range(TRACES):
        trace = Episodes()("overcooked:asymmetric_advantages", cooks, seed=seed, starts="varied")
        paths.append(folder / f"{seed}.jsonl")
        paths[-1].write_bytes(encode_trace(trace.header, trace.events))
    return paths


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "linux" else 1024) / 1024


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        paths = recorded(Path(folder))
        audit(map(read_trace, paths[:FEW]))
        few = peak()
        began = time.process_time()
        found = audit(map(read_trace, paths))
        seconds, growth = time.process_time() - began, peak() - few
    line = {
        "bench": "audits",
        "traces": len(found.returns),
        "audits": len(found.findings),
        "seconds": round(seconds, 2),
        "bar": BAR,
        "growth_mib": round(growth, 1),
        "growth_bar": GROWTH,
    }
    print(json.dumps(line))
    return int(seconds > BAR or growth > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
