"""Training with rollouts on the real server: played there, learned from here, switched, played again."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.learners.training import adapters, trained

from hocket.agents.named_base import find_base
from hocket.agents.sglang.launch import HOST, Supervisor, launch
from hocket.replays.trace import read_trace
from hocket.runtime.events import OptionChosen

pytestmark = pytest.mark.sglang

RANK = 4


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    """A server on the base that comes with hocket, with room for a team and its successors."""
    python = os.environ.get("HOCKET_SGLANG_PYTHON")
    if not python:
        pytest.fail("these tests need HOCKET_SGLANG_PYTHON, the path of a Python that has SGLang: make test-sglang")
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    what = launch(find_base("").folder, adapters=4, rank=RANK, port=port, device="cpu", python=python)
    with Supervisor(what, tmp_path_factory.mktemp("server") / "log.txt") as started:
        started.start()
        yield started


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
