"""A real server on a tiny model, and what peft says in its place.

The server has an interpreter of its own, named by HOCKET_SGLANG_PYTHON. It is started once
a session, through the same code that a user starts it with.
"""

import os
import socket
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
import torch
from tests.sglang import tiny

from hocket.agents.named_base import find_base
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.launch import HOST, Supervisor, launch

PYTHON = "HOCKET_SGLANG_PYTHON"
SEATS = 7


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a base of half a million parameters."""
    torch.set_num_threads(1)
    return tiny.make_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="session")
def adapters(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of seven adapters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers in a way that goes out of use
        return tiny.make_adapters(tiny_base, tmp_path_factory.mktemp("adapters"))


@pytest.fixture(scope="session")
def reference(tiny_base: Path, adapters: list[Path]) -> tiny.Reference:
    """Ask transformers and peft: (adapter or None, prompt, candidates) -> log-probabilities over these alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return tiny.make_reference(tiny_base, adapters)


def started(base: Path, adapters: int, rank: int, folder: Path) -> Iterator[Supervisor]:
    """Start a server on a base, and stop it afterwards."""
    python = os.environ.get(PYTHON)
    if not python:
        pytest.fail(f"these tests need {PYTHON}, the path of a Python that has SGLang: make test-sglang")
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    what = launch(base, adapters=adapters, rank=rank, port=port, device="cpu", python=python)
    with Supervisor(what, folder / "log.txt") as running:
        running.start()
        yield running


@pytest.fixture(scope="session")
def supervisor(tiny_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    """The server, with room for the seven adapters."""
    yield from started(tiny_base, tiny.ADAPTERS, tiny.RANK, tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    """A server on the base that comes with hocket, with room for a team of seven."""
    yield from started(find_base("").folder, SEATS, 8, tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="session")
def server_url(supervisor: Supervisor) -> str:
    """Where the server listens. A test loads what it needs: another may have had the server started anew."""
    return supervisor.launch.url


@pytest_asyncio.fixture
async def server(server_url: str) -> AsyncIterator[SglangClient]:
    """A client of the server, which is ready."""
    client = SglangClient(server_url, patience=120)
    await client.start()
    yield client
    await client.close()
