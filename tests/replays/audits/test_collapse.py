"""One primitive action, again and again."""

import msgspec
from tests.replays.audits.played import pair

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games.primitives import NAME as PRIMITIVES
from hocket.replays.audits.collapse import Collapse, collapse
from hocket.replays.audits.record import Record
from hocket.replays.audits.sign import signs
from hocket.runtime.events import Stepped


def test_one_action_is_a_collapse_and_to_do_nothing_is_not() -> None:
    """A letter-bound seat with primitive actions does one thing after the other; an idle one is idle."""
    trace = pair(Idle(), Random(), library=PRIMITIVES)
    steps = [
        msgspec.structs.replace(event, joint=(event.joint[0], 2)) if isinstance(event, Stepped) else event
        for event in trace.events
    ]

    found = collapse(Record(msgspec.structs.replace(trace, events=tuple(steps))))

    assert isinstance(found, Collapse)
    assert (found.commonest(0), found.commonest(1)) == ("stay", "east")
    assert (found.share(0, "stay"), found.share(1, "east")) == (1, 1)
    assert [sign.sentence for sign in signs([found])] == ["seat 1 has fallen for one action: east, 100% of its ticks"]
