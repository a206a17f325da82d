"""Entries of a file that cannot be meant."""

import pytest
from tests.learners.cells.opening import FROZEN, Opened

from hocket.runtime.errors import UsageError

LEARNED_ON_A_MENU = """
[[cell]]
preset = "pantry-tiny"
interface = "json"
adapters = ["runs/0/adapters/seat0@v1", "runs/0/adapters/seat1@v1"]
"""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[[cell]]\nrun = "runs/9"', "cell 1: runs/9: there is no such folder"),
        ('[[cell]]\nrun = "runs/0"\ninterface = "json"', "interface is json, but that of runs/0 is menu"),
        ('[[cell]]\nrun = "runs/0"\ngame = "cleanup"', "game is cleanup, but that of runs/0 is pantry:roles"),
        ('[[cell]]\nrun = "runs/0"\npreset = "pantry-tiny-shared"', "pantry-tiny-shared is embedded, pantry:roles"),
        (
            '[[cell]]\nrun = "runs/0"\n[[cell]]\nrun = "runs/1"',
            "cell 2: it is embedded, pantry:roles, menu, private, as",
        ),
        ('[[cell]]\nruns = ["runs/0", "./runs/0"]', "./runs/0 plays with what runs/0 plays with"),
        ('[[cell]]\npreset = "pantry-tinny"', "there is no preset 'pantry-tinny'"),
        ('[[cell]]\npreset = "pantry-tiny"', "its capacity is private, so it needs a run, adapters, or missing"),
        ('[[cell]]\npreset = "pantry-tiny"\ngame = "pantry"', "game is pantry, but pantry-tiny plays pantry:roles"),
        ('[[cell]]\npreset = "pantry-tiny"\nadapters = "shipped"', "no adapters come with hocket for pantry:roles"),
        ('[[cell]]\npreset = "pantry-tiny"\nadapters = ["a"]', "it names 1 adapters, but pantry:roles takes 2"),
        ('[[cell]]\npreset = "pantry-tiny"\nadapters = ["a", "b"]', "there is no such folder"),
        (f'{FROZEN}adapters = "shipped"', "its capacity is frozen, so it has no adapters"),
        (LEARNED_ON_A_MENU, "its interface is json, but its adapters learned with scorer text"),
    ],
)
def test_what_the_file_gets_wrong_stops_everything(opened: Opened, content: str, said: str) -> None:
    """One sentence, before an episode is played."""
    with pytest.raises(UsageError) as raised:
        opened(content)

    assert said in str(raised.value)
