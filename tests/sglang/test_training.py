"""Training with rollouts on the real server: played there, learned from here, switched, played again."""

from pathlib import Path

import anyio
import pytest
from tests.learners.training import adapters, trained

from hocket.agents.canary import INDISTINGUISHABLE, KNOWN
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.launch import Supervisor
from hocket.replays.trace import read_trace
from hocket.runtime.events import OptionChosen

pytestmark = pytest.mark.sglang


@pytest.fixture
def served(running: Supervisor) -> Supervisor:
    """The server, without the adapters of the tests before."""

    async def clear() -> None:
        client = SglangClient(running.launch.url, patience=180.0)
        await client.start()
        for name in await client.loaded():
            await client.unload(name)
        await client.close()

    anyio.run(clear)
    return running


def test_rollouts_on_a_server_teach_the_adapters_here(served: Supervisor, tmp_path: Path) -> None:
    """The second round is played by what the first has learned, and the next run meets nothing of this one."""
    run = tmp_path / "run"

    told = trained(
        run,
        "rounds=2",
        "keep=9",
        "rollouts.record=true",
        "update.no_spread=keep",
        "update.entropy=0.01",
        "lora.blocks=[1]",
        url=served.launch.url,
    )

    again = trained(tmp_path / "again", "rounds=1", "seed=1", "lora.blocks=[1]", url=served.launch.url)

    assert [each.refused for each in [*told, *again]] == [(), (), ()]
    assert max(each.difference for each in told) < 1e-4
    weights = adapters(run)
    assert weights["seat0@v0"] != weights["seat0@v1"] != weights["seat0@v2"]
    for number in (0, 1):
        for path in sorted((run / f"traces/v{number}").glob("*.zst")):
            receipts = [event.receipt for event in read_trace(path).events if isinstance(event, OptionChosen)]
            assert {each.backend for each in receipts if each} == {"sglang"}
            assert {each.adapter for each in receipts if each} == {f"seat0@v{number}", f"seat1@v{number}"}
            assert {each.check for each in receipts if each} == {KNOWN if number else INDISTINGUISHABLE}
