"""The real server: its numbers are those of peft, and the double is like it."""

import json
import math
import os
import re
import signal
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from tests.agents.double_server import recorded
from tests.sglang import tiny

from hocket.agents.query import Query, Writing
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.launch import Supervisor
from hocket.replays.timing import Call
from hocket.runtime.errors import AdapterError, ServerError, UnknownAdapterError

pytestmark = [pytest.mark.sglang, pytest.mark.asyncio]

LETTERS = tuple(range(36, 42))
PROMPTS = [
    tuple(3 + (7 * place * place + 5 * number) % 256 for place in range(40 + 30 * number)) for number in range(8)
]
TOLERANCE = 1e-4
VARIES = ("cached_tokens_details", "loaded_adapters")
"""Null where there is nothing to say; adapters under names that the test gave them."""


def far(told: tuple[float, ...], expected: tuple[float, ...]) -> float:
    """The largest difference between two answers."""
    return max(abs(one - other) for one, other in zip(told, expected, strict=True))


async def load_all(server: SglangClient, adapters: list[Path]) -> list[str]:
    """Load the adapters under names of one version."""
    names = [f"seat{number}@v0" for number in range(len(adapters))]
    for name, folder in zip(names, adapters, strict=True):
        await server.load(name, folder)
    return names


async def test_the_server_says_what_it_is(server: SglangClient, tiny_base: Path) -> None:
    """Model, context and room for adapters are as it was started."""
    facts = await server.start()

    assert (facts.model, facts.version, facts.dtype) == (str(tiny_base), "0.5.23", "float32")
    assert (facts.lora, facts.slots, facts.rank) == (True, tiny.ADAPTERS + 2, tiny.RANK)
    assert (facts.context, facts.modules) == (tiny.CONTEXT, tuple(sorted(tiny.ADAPTED)))


async def test_a_mixed_batch_is_answered_as_peft_answers(
    server: SglangClient, adapters: list[Path], reference: tiny.Reference
) -> None:
    """The base and every adapter, in one call and then one by one from the cache, each candidate in its place."""
    names = await load_all(server, adapters)
    asked = [(None, ""), *enumerate(names)]
    among = (*reversed(LETTERS), 7)
    queries = [Query(name, prompt[:-4], prompt[-4:], among) for prompt in PROMPTS for _, name in asked]

    together = await server.score(queries)
    alone = [(await server.score([query]))[0] for query in queries[: len(asked)]]

    expected = [reference(number, prompt, among) for prompt in PROMPTS for number, _ in asked]
    assert max(map(far, together, expected)) < TOLERANCE
    assert max(map(far, alone, expected)) < TOLERANCE
    assert min(far(one, other) for one in expected[1:8] for other in expected[:1]) > 100 * TOLERANCE
    assert all(math.isclose(sum(map(math.exp, told)), 1, abs_tol=1e-9) for told in together)


async def test_a_hundred_hot_swaps_under_traffic_give_no_wrong_answer(
    server: SglangClient, adapters: list[Path], reference: tiny.Reference
) -> None:
    """Load the new version, switch, unload the old, while four clients keep asking for whatever is current."""
    expected = {
        (number, prompt): reference(number, prompt, LETTERS)
        for number in range(len(adapters))
        for prompt in PROMPTS[:4]
    }
    current, answered, wrong = 0, [0] * 4, 0
    await server.load("ada@v0", adapters[0])

    async def ask(place: int) -> None:
        nonlocal wrong
        while current < 100:
            version, prompt = current, PROMPTS[place]
            told = await server.score([Query(f"ada@v{version}", prompt, (), LETTERS)] * 2)
            wrong += any(far(each, expected[version % len(adapters), prompt]) > TOLERANCE for each in told)
            answered[place] += 1

    async with anyio.create_task_group() as group:
        for place in range(4):
            group.start_soon(ask, place)
        for version in range(1, 101):
            await server.load(f"ada@v{version}", adapters[version % len(adapters)])
            current = version
            await server.unload(f"ada@v{version - 1}")

    assert wrong == 0
    assert sum(answered) > 100
    await server.unload("ada@v100")
    assert not [name for name in await server.loaded() if name.startswith("ada@")]


async def test_a_pattern_holds_what_is_written_to_it(
    server: SglangClient, adapters: list[Path], reference: tiny.Reference
) -> None:
    """As a pattern of ours is written, escapes and all; its log-probability is over what the pattern let through."""
    name = (await load_all(server, adapters))[0]
    words = ("pick onion @5,1", "wait-a (bit)", "north")
    pattern = "choice: (" + "|".join(map(re.escape, words)) + ")"
    written = Writing(name, PROMPTS[0], "", 48, 1.0, lambda _: 0.5, pattern=pattern)

    told = await server.write([written] * 8)

    first = tuple(ids_of(word)[0] for word in words)
    shares = reference(0, PROMPTS[0] + ids_of("choice: "), first)
    for each in told:
        place = words.index(text_of(each.ids).removeprefix("choice: "))
        assert abs(each.log_prob - shares[place]) < TOLERANCE


async def test_a_text_ends_before_its_stop(server: SglangClient) -> None:
    """The stop and the end of a reply are no part of what was written; a greedy text is certain."""
    line = Writing("", PROMPTS[1], "\n", 30, 0.0, lambda _: 0.5, pattern="state: ab\nchoice: A")
    whole = Writing("", PROMPTS[1], "", 30, 0.0, lambda _: 0.5, pattern="state: ab\nchoice: A")
    short = Writing("", PROMPTS[1], "", 4, 0.7, lambda _: 0.5)

    costs: list[Call] = []

    told = await server.write([line, whole, short], costs)

    assert [text_of(each.ids) for each in told[:2]] == ["state: ab", "state: ab\nchoice: A"]
    assert [each.log_prob for each in told[:2]] == [0.0, 0.0]
    assert told[2].log_prob < 0
    assert [len(call.cached_tokens) for call in costs] == [3]


async def test_what_the_server_refuses_is_said_in_its_words(server: SglangClient, adapters: list[Path]) -> None:
    """An adapter that is not there, one of too high a rank, a name that is taken, a pattern that is none."""
    await server.load("bo@v0", adapters[0])
    await server.load("bo@v0", adapters[0])

    with pytest.raises(UnknownAdapterError, match="it has no adapter 'bo@v9'") as unknown:
        await server.score([Query("bo@v0", (5, 6), (), LETTERS), Query("bo@v9", (5, 6), (), LETTERS)])
    with pytest.raises(AdapterError, match=r"adapter bo@v0: .*already loaded"):
        await server.load("bo@v0", adapters[1])
    with pytest.raises(AdapterError, match=r"has no adapter_config.json"):
        await server.load("bo@v1", adapters[0] / "nowhere")
    with pytest.raises(ServerError, match="400 to /generate: Failed to compile regex"):
        await server.write([Writing("", (5, 6), "", 4, 1.0, lambda _: 0.5, pattern="(ab")])
    with pytest.raises(ServerError, match="longer than the model's context"):
        await server.score([Query("", (5,) * 3000, (), LETTERS)])

    assert unknown.value.adapter == "bo@v9"
    await server.unload("bo@v0")
    await server.unload("bo@v0")
    assert "bo@v0" not in await server.loaded()


async def test_a_cancelled_call_is_taken_off_the_server(server: SglangClient, supervisor: Supervisor) -> None:
    """A long text is begun, cancelled, and no longer written: the server is idle at once."""
    writing = Writing("", PROMPTS[0], "", 1700, 1.0, lambda _: 0.5, pattern="(ab){800}")

    with anyio.move_on_after(1.0) as scope:
        await server.write([writing] * 4)

    assert scope.cancelled_caught
    await anyio.sleep(0.3)
    assert await running(server) == 0
    assert "POST /abort_request" in supervisor.log.read_text("utf-8", "replace")


async def test_a_killed_server_is_started_again_and_play_goes_on(
    server: SglangClient, supervisor: Supervisor, adapters: list[Path], reference: tiny.Reference
) -> None:
    """Whoever asks is told that nothing listens; then, that the adapter is not there; loaded, it answers as before."""
    await server.load("ada@v0", adapters[3])
    query = Query("ada@v0", PROMPTS[2], (), LETTERS)
    before = await server.score([query])

    os.killpg(supervisor.pid, signal.SIGKILL)
    with pytest.raises(ServerError, match=r"\(4 tries\)"):
        await server.score([query])
    async with anyio.create_task_group() as group:
        group.start_soon(anyio.to_thread.run_sync, supervisor.revive)
        await server.start()
    with pytest.raises(UnknownAdapterError):
        await server.score([query])
    await server.load("ada@v0", adapters[3])
    after = await server.score([query])

    assert far(after[0], before[0]) < 1e-5
    assert far(after[0], reference(3, PROMPTS[2], LETTERS)) < TOLERANCE


@pytest.mark.parametrize("name", ["score", "write", "unknown", "refused", "load", "load_taken", "unload_absent"])
async def test_the_double_answers_in_the_shape_of_the_server(
    name: str, server: SglangClient, adapters: list[Path]
) -> None:
    """What was recorded is asked again: status, fields and kinds of values are the same, whatever the values."""
    exchange = recorded()[name]
    asked = json.dumps(exchange["asked"]).replace("models/adapter", str(adapters[0].parent / "adapter"))
    for here in await server.loaded():
        await server.unload(here)
    if name not in ("load", "unload_absent"):
        await server.load("ada@v0", adapters[0])

    async with httpx.AsyncClient(base_url=server.url, timeout=30, trust_env=False) as client:
        reply = await client.request(exchange["method"], exchange["path"], json=json.loads(asked))

    assert reply.status_code == exchange["status"]
    assert shape(reply.json()) == shape(exchange["answer"])


def shape(value: Any) -> Any:
    """What kinds of values stand where; of a list, those that occur. Nothing is said where there is nothing."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items() if key not in VARIES}
    if isinstance(value, list):
        return sorted({repr(shape(each)) for each in value})
    return type(value).__name__


async def running(server: SglangClient) -> int:
    """How many requests the server has in hand, by its own account."""
    content = await server._wire.once("GET", "v1/loads")
    return 0 if not content else int(re.search(rb'"num_running_reqs":\s*(\d+)', content)[1])  # type: ignore[index]


def ids_of(text: str) -> tuple[int, ...]:
    """Tokens of a text: its bytes, by the tiny tokenizer."""
    return tuple(tiny._tokenizer().encode(text, add_special_tokens=False))


def text_of(ids: tuple[int, ...]) -> str:
    """Text of some tokens."""
    return str(tiny._tokenizer().decode(list(ids)))
