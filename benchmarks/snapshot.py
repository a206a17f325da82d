"""Comparing a trace with its snapshot: an episode of 400 ticks and seven seats.

The busiest there can be: every seat decides in every tick, from a menu of twelve. The
snapshot is of the same episode but for one choice, late, so that nothing is told from a
glance. Seconds of CPU from a trace in memory to the last line of the diff: lines encoded,
the file read and its hashes checked, events compared, sentences made.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import msgspec

from hocket.games.registry import library, make
from hocket.replays.snapshot import TraceSnapshotExtension
from hocket.replays.trace import Trace, encode_trace, make_header
from hocket.runtime.events import (
    EpisodeEnded,
    EpisodeStarted,
    Event,
    MenuOffered,
    OptionChosen,
    OptionEnded,
    OptionStarted,
    Receipt,
    Stepped,
)

ROUNDS, STEPS, SEATS, OPTIONS = 7, 400, 7, 12
BAR = 0.5
MENU = tuple(f"harvest@{place},{place + 3}" for place in range(OPTIONS))


def synthetic(other: int = -1) -> Trace:
    """Make an episode up; in tick `other`, seat 0 chooses otherwise."""
    game = make("pantry")
    names = tuple(f"cook{seat}" for seat in range(SEATS))
    header = make_header(game, library(game), seed=1, starts="standard", steps=STEPS, seats=names)
    events: list[Event] = [EpisodeStarted(0, names, STEPS)]
    for tick in range(STEPS):
        picks = [(tick + 5 * seat + (tick == other and seat == 0)) % OPTIONS for seat in range(SEATS)]
        events += [MenuOffered(tick, seat, tick, MENU) for seat in range(SEATS)]
        for seat, pick in enumerate(picks):
            events.append(OptionChosen(tick, seat, tick, pick, MENU[pick], names[seat], Receipt(-2.4849066)))
            events.append(OptionStarted(tick, seat, MENU[pick], 1))
        events.append(Stepped(tick, (4,) * SEATS, (0.0,) * SEATS))
        events += [OptionEnded(tick, seat, MENU[pick], "success", 1) for seat, pick in enumerate(picks)]
    events.append(EpisodeEnded(STEPS, "horizon", (0.0,) * SEATS))
    return Trace(header, tuple(events))


def compare(trace: Trace, path: Path) -> list[str]:
    """Do what a failing `assert trace == trace_snapshot` does."""
    extension = TraceSnapshotExtension()
    received = extension.serialize(trace)
    kept = extension.read_snapshot_data_from_location(snapshot_location=str(path), snapshot_name="", session_id="")
    if kept is None or extension.matches(serialized_data=received, snapshot_data=kept):
        return []
    return list(extension.diff_lines(received, kept))


def seconds(trace: Trace, path: Path, sentences: bool) -> float:
    """Time one comparison, which must find what there is."""
    began = time.process_time()
    found = compare(trace, path)
    spent = time.process_time() - began
    if bool(found) != sentences:
        raise SystemExit(f"the comparison found {found[:1]}")
    return spent


def main() -> int:
    kept, same, other = synthetic(), synthetic(), synthetic(other=STEPS - 10)
    elsewhere = msgspec.structs.replace(same.header, versions={"python": "3.99"})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.jsonl"
        path.write_bytes(encode_trace(kept.header, kept.events))
        parted = median(seconds(other, path, sentences=True) for _ in range(ROUNDS))
        versions = median(
            seconds(msgspec.structs.replace(same, header=elsewhere), path, sentences=False) for _ in range(ROUNDS)
        )
        equal = median(seconds(same, path, sentences=False) for _ in range(ROUNDS))
    line = {
        "bench": "trace_snapshot",
        "ticks": STEPS,
        "seats": SEATS,
        "events": len(kept.events),
        "another_choice_s": round(parted, 3),
        "other_versions_s": round(versions, 3),
        "equal_s": round(equal, 3),
        "bar": BAR,
    }
    print(json.dumps(line))
    return int(max(parted, versions, equal) > BAR)


if __name__ == "__main__":
    sys.exit(main())
