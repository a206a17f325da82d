"""The client of a model server: what it asks, and what it makes of answers."""

import math
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
import pytest_asyncio
from tests.agents.double_server import DoubleServer, Fault, log_prob

from hocket.agents.query import Query, Writing
from hocket.agents.sglang.client import SglangClient
from hocket.replays.timing import Call
from hocket.runtime.errors import AdapterError, ServerError, SettingError, UnknownAdapterError

pytestmark = pytest.mark.asyncio

ASKED = Query("", (5, 6, 7), (50,), (36, 38, 37))


@pytest_asyncio.fixture
async def double() -> AsyncIterator[DoubleServer]:
    """A server that knows no adapter yet."""
    started = DoubleServer()
    await started.start()
    yield started
    await started.stop()


@pytest_asyncio.fixture
async def server(double: DoubleServer) -> AsyncIterator[SglangClient]:
    """A client of it that does not wait long."""
    client = SglangClient(double.url, patience=0.5, timeout=0.3, tries=3, pause=0.01)
    yield client
    await client.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An adapter, as far as a client looks into one."""
    (tmp_path / "adapter_config.json").write_text("{}")
    return tmp_path.resolve()


def writing(stop: str = "", temperature: float = 1.0, pattern: str = "") -> Writing:
    """A text to be written by the base."""
    return Writing("", (5, 6), stop, 24, temperature, lambda _: 0.5, pattern=pattern)


def shares(adapter: str | None, among: tuple[int, ...]) -> list[float]:
    """What the double says, over the candidates alone."""
    told = [log_prob(adapter, token) for token in among]
    total = math.log(sum(map(math.exp, told)))
    return [each - total for each in told]


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:30000", "ftp://127.0.0.1", "http://", "http://a:99999", "http://a:b", "http://a/generate"]
)
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Before anything is sent, with what would be right."""
    with pytest.raises(SettingError, match="must be http://HOST:PORT"):
        SglangClient(url)


@pytest.mark.parametrize("wrong", [{"patience": 0}, {"timeout": 0}, {"tries": 0}, {"pause": -1}, {"timeout": math.nan}])
async def test_a_number_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    """A client that never tries, or waits for less than no time, is a mistake."""
    with pytest.raises(SettingError, match="with a model server"):
        SglangClient("http://127.0.0.1:1", **wrong)


async def test_a_server_that_is_starting_is_waited_for(double: DoubleServer, server: SglangClient) -> None:
    """It answers 503 until it is ready, then says what it is."""
    double.misbehave("ready", 503)

    facts = await server.start()

    assert (facts.name, facts.version, facts.dtype, facts.context) == ("models/tiny", "0.5.23", "float32", 2048)
    assert (facts.lora, facts.slots, facts.rank, facts.modules[0]) == (True, 9, 8, "down_proj")


async def test_a_server_that_does_not_become_ready_is_given_up(double: DoubleServer, server: SglangClient) -> None:
    """After the patience of the client, with what it said last."""
    double.misbehave("ready", 503, 503, 503, 503, 503)

    with pytest.raises(ServerError, match=rf"server {double.url}: not ready after 0.5 s: it answered 503 to /ready"):
        await server.start()


async def test_what_is_no_such_server_is_one_sentence(double: DoubleServer, server: SglangClient) -> None:
    """Something else may listen there, and be ready."""
    double.misbehave("server_info", *[lambda _: {"hello": "world"}] * 3)

    with pytest.raises(ServerError, match=r"its answer makes no sense: .* required field `version`"):
        await server.start()


async def test_candidates_are_matched_by_token(double: DoubleServer, server: SglangClient, folder: Path) -> None:
    """The server has an order of its own; each answer is over its own candidates, and each adapter's is its own."""
    await server.load("ada@v0", folder)
    adapted = Query("ada@v0", (5, 6), (), (38, 36))

    told = await server.score([ASKED, adapted])

    assert told[0] == pytest.approx(shares(None, ASKED.among))
    assert told[1] == pytest.approx(shares("ada@v0", adapted.among))


async def test_a_batch_is_one_request(double: DoubleServer, server: SglangClient, folder: Path) -> None:
    """All prompts with all adapters, each with an id by which it can be aborted; what it cost is told."""
    await server.load("ada@v0", folder)

    costs: list[Call] = []

    await server.score([ASKED, Query("ada@v0", (5,), (), (36, 37))], costs)

    [body] = double.bodies("generate")
    assert body["input_ids"] == [[5, 6, 7, 50], [5]]
    assert body["lora_path"] == [None, "ada@v0"]
    assert body["token_ids_logprob"] == [[36, 38, 37], [36, 37]]
    assert body["sampling_params"] == {"max_new_tokens": 0, "temperature": 1.0}
    [call] = costs
    assert (list(call.requests), call.cached_tokens, call.tries) == (body["rid"], (0, 1), 1)
    assert 0 < call.seconds < 5


async def test_nothing_asked_is_nothing_sent(double: DoubleServer, server: SglangClient) -> None:
    """A round of a batch may have no queries, or no writings."""
    assert (await server.score([]), await server.write([])) == ([], [])
    assert double.asked == []


async def test_a_base_without_adapters_is_asked_without_any(double: DoubleServer, server: SglangClient) -> None:
    """A server without LoRA refuses even a list of none."""
    await server.score([ASKED])

    assert "lora_path" not in double.bodies("generate")[0]


async def test_a_connection_is_used_again(double: DoubleServer, server: SglangClient) -> None:
    """A handshake for each decision would cost more than the decision."""
    for _ in range(5):
        await server.score([ASKED])

    assert double.connections == 1


async def test_ids_of_requests_are_no_beginnings_of_each_other(double: DoubleServer, server: SglangClient) -> None:
    """The server aborts by the beginning of an id."""
    await server.score([ASKED] * 11)
    await server.score([ASKED] * 2)

    rids = [rid for body in double.bodies("generate") for rid in body["rid"]]
    assert not [(one, other) for one in rids for other in rids if one != other and other.startswith(one)]


async def test_a_text_comes_without_its_end(server: SglangClient) -> None:
    """Without the stop text, and without the token that ends a reply; both were drawn and count."""
    line, reply, certain = await server.write([writing(stop="\n"), writing(), writing(temperature=0.0)])

    assert line.ids == (85, 86, 67, 86, 71, 28, 223, 69, 70)
    assert line.log_prob == pytest.approx(-0.021086199)
    assert reply.ids == (69, 74, 81, 75, 69, 71, 28, 223, 36)
    assert (certain.ids, certain.log_prob) == (reply.ids, 0.0)


async def test_how_a_text_is_written_is_said_in_full(double: DoubleServer, server: SglangClient) -> None:
    """Nothing is left to what the server was started with."""
    await server.write([writing(stop="\n", pattern="a|b"), writing(temperature=0.0)])

    first, second = double.bodies("generate")[0]["sampling_params"]
    plain = {
        "max_new_tokens": 24,
        "temperature": 0.0,
        "top_p": 1.0,
        "top_k": -1,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
    }
    assert second == plain
    assert first == plain | {"temperature": 1.0, "stop": ["\n"], "regex": "a|b"}


async def test_a_token_in_which_the_stop_begins_is_left_out(double: DoubleServer, server: SglangClient) -> None:
    """A tokenizer may have one token for the end of a line and what comes before it."""

    def merged(answers: Any) -> Any:
        answers[0]["output_ids"] = [1, 2, 3]
        answers[0]["meta_info"]["output_token_logprobs"] = [[-1.0, 1, "go"], [-0.5, 2, ".\r"], [-0.25, 3, "\n"]]
        answers[0]["meta_info"]["finish_reason"] = {"type": "stop", "matched": "\r\n"}
        return answers

    double.misbehave("generate", merged)

    [told] = await server.write([writing(stop="\r\n")])

    assert (told.ids, told.log_prob) == ((1,), -1.75)


PASSING: list[tuple[Fault, str]] = [
    ("reset", "it broke off in the middle of an answer"),
    ("silent", "it gave no answer in 0.3 s"),
    ("malformed", "its answer makes no sense"),
    (500, "it answered 500 to /generate: not now"),
    (503, "it answered 503 to /generate: not now"),
]


@pytest.mark.parametrize(("fault", "problem"), PASSING)
async def test_a_fault_that_passes_is_got_over(
    fault: Fault, problem: str, double: DoubleServer, server: SglangClient
) -> None:
    """Twice nothing, then an answer; each try under ids of its own."""
    double.misbehave("generate", fault, fault)

    costs: list[Call] = []

    [told] = await server.score([ASKED], costs)

    assert told == pytest.approx(shares(None, ASKED.among))
    assert [call.tries for call in costs] == [3]
    assert len({body["rid"][0] for body in double.bodies("generate")}) == 3


@pytest.mark.parametrize(("fault", "problem"), PASSING)
async def test_a_fault_that_stays_is_one_sentence(
    fault: Fault, problem: str, double: DoubleServer, server: SglangClient
) -> None:
    """It names the server, what is wrong and how often it was tried."""
    double.misbehave("generate", fault, fault, fault)

    with pytest.raises(ServerError) as caught:
        await server.score([ASKED])

    assert str(caught.value).startswith(f"model server {double.url}: {problem}")
    assert str(caught.value).endswith(" (3 tries)")
    assert len(double.bodies("generate")) == 3


def without(*keys: str) -> Callable[[Any], Any]:
    """Take a field out of every answer."""

    def changed(answers: Any) -> Any:
        for answer in answers:
            part = answer
            for key in keys[:-1]:
                part = part[key]
            del part[keys[-1]]
        return answers

    return changed


def with_value(value: object) -> Callable[[Any], Any]:
    """Put another value in the place of one log-probability."""

    def changed(answers: Any) -> Any:
        answers[0]["meta_info"]["output_token_ids_logprobs"][0][0][0] = value
        return answers

    return changed


def with_meta(**changes: object) -> Callable[[Any], Any]:
    """Say something else about every answer."""
    return lambda answers: [answer | {"meta_info": answer["meta_info"] | changes} for answer in answers]


NONSENSE: list[tuple[Callable[[Any], object], str]] = [
    (with_value(None), "no finite number"),
    (with_value(math.nan), "makes no sense"),
    (with_value(-math.inf), "makes no sense"),
    (with_value("x"), "makes no sense"),
    (without("meta_info"), "makes no sense"),
    (without("meta_info", "output_token_ids_logprobs"), "lacks the log-probabilities of 3 of 3 tokens"),
    (lambda answers: answers[:-1], "it was asked 2 things and answered 1"),
    (lambda answers: answers * 2, "it was asked 2 things and answered 4"),
    (lambda answers: answers[::-1], "it was asked 2 things and answered 2, or others"),
    (lambda answers: {"error": "?"}, "makes no sense"),
    (with_meta(output_token_ids_logprobs=[[[-1.0, 36, None]]]), "lacks the log-probabilities of 2 of 3"),
    (with_meta(finish_reason={"type": "abort", "message": "out of\nmemory"}), "it gave a request up: out of memory"),
]


@pytest.mark.parametrize(("change", "problem"), NONSENSE)
async def test_an_answer_that_makes_no_sense_is_no_decision(
    change: Callable[[Any], object], problem: str, double: DoubleServer, server: SglangClient
) -> None:
    """It is asked for again, and in the end reported; never guessed at."""
    double.misbehave("generate", *[change] * 3)

    with pytest.raises(ServerError, match=problem):
        await server.score([ASKED, ASKED])


async def test_a_text_with_other_tokens_than_log_probs_is_no_answer(double: DoubleServer, server: SglangClient) -> None:
    """What was written and what it cost must be of the same tokens."""
    double.misbehave("generate", *[lambda answers: [answers[0] | {"output_ids": [1]}]] * 3)

    with pytest.raises(ServerError, match="its answer has 10 log-probabilities of 1 tokens"):
        await server.write([writing()])


async def test_nobody_there_is_one_sentence(double: DoubleServer, server: SglangClient) -> None:
    """A refused connection is tried again like everything that may pass."""
    await double.stop()

    with pytest.raises(ServerError, match=r"nothing listens there \(3 tries\)"):
        await server.score([ASKED])
    with pytest.raises(ServerError, match=r"not ready after 0.5 s: nothing listens there"):
        await server.start()

    await double.start()


async def test_a_server_that_comes_back_is_gone_on_with(
    double: DoubleServer, server: SglangClient, folder: Path
) -> None:
    """It has forgotten its adapters and says so; loaded again, it answers as before."""
    query = Query("ada@v0", (5, 6), (), (36, 37))
    await server.load("ada@v0", folder)
    before = await server.score([query])

    await double.stop()
    await double.start()
    await server.start()
    with pytest.raises(UnknownAdapterError, match="it has no adapter 'ada@v0'") as caught:
        await server.score([query])
    await server.load("ada@v0", folder)

    assert caught.value.adapter == "ada@v0"
    assert await server.score([query]) == before


async def test_what_is_refused_is_not_asked_again(double: DoubleServer, server: SglangClient) -> None:
    """A pattern that is none stays none; the server's own words are passed on in one line."""
    with pytest.raises(ServerError, match=r"400 to /generate: Failed to compile regex grammar.* is not closed\.$"):
        await server.write([writing(pattern="(ab")])

    assert len(double.bodies("generate")) == 1


async def test_adapters_are_loaded_listed_and_unloaded(
    double: DoubleServer, server: SglangClient, folder: Path
) -> None:
    """By name; loading or unloading twice is as good as once, as after an answer that was lost."""
    for name in ("bo@v1", "ada@v0", "ada@v0"):
        await server.load(name, folder)
    both = await server.loaded()
    for _ in range(2):
        await server.unload("bo@v1")

    assert (both, await server.loaded()) == (("ada@v0", "bo@v1"), ("ada@v0",))
    assert double.bodies("load_lora_adapter")[0] == {"lora_name": "bo@v1", "lora_path": str(folder)}


async def test_a_load_whose_answer_was_lost_counts(double: DoubleServer, server: SglangClient, folder: Path) -> None:
    """The second try is told that the name is taken, by the same folder."""
    double.misbehave("load_lora_adapter", "reset")
    double.misbehave("unload_lora_adapter", "reset")

    await server.load("ada@v0", folder)
    assert await server.loaded() == ("ada@v0",)
    await server.unload("ada@v0")
    assert await server.loaded() == ()


async def test_a_name_stands_for_one_folder(server: SglangClient, folder: Path, tmp_path: Path) -> None:
    """Another folder under the same name is refused, and so is what is no adapter."""
    other = tmp_path / "other"
    other.mkdir()
    await server.load("ada@v0", folder)

    with pytest.raises(AdapterError, match=r"has no adapter_config\.json"):
        await server.load("ada@v0", other)
    (other / "adapter_config.json").write_text("{}")
    with pytest.raises(AdapterError, match=r"adapter ada@v0: .*already loaded"):
        await server.load("ada@v0", other)


async def test_what_was_unloaded_is_asked_nothing_more(
    double: DoubleServer, server: SglangClient, folder: Path
) -> None:
    """A late request would have the real server load it again; loaded on purpose, it can be asked."""
    query = Query("ada@v0", (5, 6), (), (36, 37))
    await server.load("ada@v0", folder)
    await server.unload("ada@v0")

    with pytest.raises(UnknownAdapterError):
        await server.score([query])
    assert double.bodies("generate") == []

    await server.load("ada@v0", folder)
    assert len(await server.score([query])) == 1


async def test_an_adapter_is_unloaded_after_the_last_answer(
    double: DoubleServer, server: SglangClient, folder: Path
) -> None:
    """Also where the first try was lost: the unloading waits for the second."""
    await server.load("ada@v0", folder)
    double.misbehave("generate", 500, 503)

    async with anyio.create_task_group() as group:
        group.start_soon(server.score, [Query("ada@v0", (5, 6), (), (36, 37))])
        await anyio.lowlevel.checkpoint()
        await server.unload("ada@v0")

    assert [path for path, _ in double.asked] == [
        "load_lora_adapter",
        *["generate"] * 3,
        "unload_lora_adapter",
    ]


async def test_a_cancelled_call_is_taken_off_the_server(double: DoubleServer, server: SglangClient) -> None:
    """Every request of the call, before the cancellation goes on."""
    double.misbehave("generate", "silent")

    with anyio.move_on_after(0.1) as scope:
        await server.score([ASKED, ASKED])

    assert scope.cancelled_caught
    [body] = double.bodies("generate")
    assert [each["rid"] for each in double.bodies("abort_request")] == body["rid"]


async def test_a_call_that_took_too_long_is_taken_off_the_server(double: DoubleServer, server: SglangClient) -> None:
    """Else the server would go on with it beside the next try."""
    double.misbehave("generate", "silent")

    await server.score([ASKED])

    first, _ = double.bodies("generate")
    assert double.bodies("abort_request") == [{"rid": first["rid"][0]}]


async def test_a_request_can_be_aborted(double: DoubleServer, server: SglangClient) -> None:
    """By its id; one that is not there is no error."""
    await server.abort("ada-1.")

    assert double.bodies("abort_request") == [{"rid": "ada-1."}]
