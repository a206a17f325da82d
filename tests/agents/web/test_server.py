"""Who may do what over a WebSocket, and that nothing else comes of it."""

import asyncio
import os
from pathlib import Path
from random import Random as Dice
from typing import Any

import httpx
import msgspec
import pytest
from tests.agents.web.served import connect, drained, plan, play, said, say, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from hocket.agents.web.messages import MOST_BYTES
from hocket.replays.rerun import rerun
from hocket.replays.trace import read_trace
from hocket.runtime.events import ChoiceRejected, OptionChosen, SeatChanged

pytestmark = pytest.mark.asyncio


async def closed(address: str, **given: Any) -> tuple[int, str]:
    """With which code and sentence a connection is sent away."""
    async with connect(address, **given) as socket:
        ended = await drained(socket)
    assert ended.rcvd is not None
    return ended.rcvd.code, ended.rcvd.reason


async def test_a_seat_is_played_and_its_trace_agrees(tmp_path: Path) -> None:
    """Every choice that was sent is one decision of the trace, under the name of the seat's holder."""
    async with serving(plan(tmp_path)) as served, connect(served.address("seat", 0)) as socket:
        over, told = await play(socket)

    trace = read_trace(tmp_path / "5.jsonl")
    offers = [message for message in told if message["type"] == "offer"]
    chosen = [event for event in trace.events if isinstance(event, OptionChosen) and event.seat == 0]
    assert rerun(trace).agrees
    assert trace.header.seats == ("human", "random")
    assert [event.decision for event in chosen] == [offer["decision"] for offer in offers][: len(chosen)]
    assert [event.option for event in chosen] == [offer["menu"][0]["key"] for offer in offers][: len(chosen)]
    assert over["total"] == sum(over["returns"])
    assert over["trace"] == "5.jsonl"


async def test_another_episode_is_played_on_the_next_seed(tmp_path: Path) -> None:
    """Once somebody asks for it, and not before."""
    async with serving(plan(tmp_path, steps=5)) as served, connect(served.address("seat", 0)) as socket:
        await play(socket)
        await say(socket, type="again")
        await play(socket)

    assert sorted(os.listdir(tmp_path)) == ["5.jsonl", "6.jsonl"]  # noqa: PTH208


async def test_a_watcher_sees_and_cannot_act(tmp_path: Path) -> None:
    """Not even with what a seat would say."""
    async with (
        serving(plan(tmp_path, steps=500)) as served,
        connect(served.address("watcher")) as watcher,
        connect(served.address("seat", 0)) as seat,
    ):
        offer = await said(seat, "offer")
        problems = []
        for message in (
            {"type": "choose", "decision": offer["decision"], "index": 0},
            {"type": "pause", "paused": True},
            {"type": "again"},
            {"type": "swap", "seat": 0, "agent": "idle"},
        ):
            await say(watcher, **message)
            problems.append((await said(watcher, "refused"))["problem"])
        state = await said(watcher, "state")

    assert problems == ["only a seat can choose", *["whoever watches can do nothing else"] * 3]
    assert state["phase"] == "playing"
    assert state["places"][0] == {"holder": "human", "here": True, "doing": "", "going": False}


async def test_one_seat_cannot_speak_for_another(tmp_path: Path) -> None:
    """A message has no field for a seat: it is that of the link."""
    both = {0: "human", 1: "human"}
    async with (
        serving(plan(tmp_path, outside=both, steps=400)) as served,
        connect(served.address("seat", 0)) as ada,
        connect(served.address("seat", 1)) as bo,
    ):
        offer = await said(bo, "offer")
        await said(ada, "offer")
        await say(ada, type="choose", decision=offer["decision"], index=0, seat=1)
        refused = await said(ada, "refused")
        await say(ada, type="choose", decision=0, index=0)
        await said(ada, "ended")
        state = await said(bo, "state")
        await say(ada, type="swap", seat=1, agent="idle")
        swap = await said(ada, "refused")

    assert "unknown field `seat`" in refused["problem"]
    assert state["places"][1]["doing"] == ""
    assert swap["problem"] == "only the host can give a seat to somebody else"


@pytest.mark.parametrize(
    ("query", "headers", "code", "reason"),
    [
        ("protocol=2", {}, 4010, "this page speaks protocol 2, the server 1: load the page again"),
        ("", {}, 4010, "this page speaks protocol None, the server 1: load the page again"),
        ("protocol=1", {"origin": "http://elsewhere.example"}, 4003, "this page is not of this server"),
        ("protocol=1", {"origin": "null"}, 4003, "this page is not of this server"),
    ],
)
async def test_a_page_of_another_version_or_origin_is_sent_away(
    tmp_path: Path, query: str, headers: dict[str, str], code: int, reason: str
) -> None:
    """By a sentence that says what to do; the seat stays free."""
    async with serving(plan(tmp_path)) as served:
        sent = await closed(served.address("seat", 0, query=query), additional_headers=headers)
        async with connect(served.address("seat", 0)) as socket:
            welcome = await said(socket, "welcome")

    assert sent == (code, reason)
    assert welcome["seat"] == 0


async def test_a_page_of_this_server_is_let_in(tmp_path: Path) -> None:
    """Its origin is the server's own address."""
    async with serving(plan(tmp_path)) as served:
        origin = served.url("").rstrip("/")
        async with connect(served.address("seat", 0), additional_headers={"origin": origin}) as socket:
            assert (await said(socket, "welcome"))["role"] == "seat"


async def test_a_link_that_is_not_there_leads_nowhere(tmp_path: Path) -> None:
    """Links cannot be guessed: 128 bits each, and no two alike."""
    async with serving(plan(tmp_path, outside={0: "human", 1: "human"})) as served:
        tokens = [path.rpartition("/")[2] for path in served.paths.values()]
        wrong = served.address("seat", 0).replace(tokens[0], "x" * 22)
        sent = await closed(wrong)
        async with httpx.AsyncClient() as client:
            pages = [
                (await client.get(served.url(f"/{path}"))).status_code
                for path in ("seat/x", "page/../server.py", "page/server.py", "x/y")
            ]

    assert sent == (4004, "there is nothing at this link")
    assert pages == [404] * 4
    assert len(set(tokens)) == 4
    assert all(len(token) == 22 for token in tokens)


async def test_a_seat_is_not_held_twice(tmp_path: Path) -> None:
    """The first page keeps it."""
    async with serving(plan(tmp_path, steps=200)) as served, connect(served.address("seat", 0)) as first:
        await said(first, "welcome")
        sent = await closed(served.address("seat", 0))
        await say(first, type="choose", decision=0, index=0)
        ended = await said(first, "ended")

    assert sent == (4009, "this seat is taken on another page")
    assert ended["decision"] == 0


async def test_ten_thousand_useless_messages_reach_no_episode(tmp_path: Path) -> None:
    """Malformed, unknown, out of turn and oversized ones, from a seat and a watcher, while another seat plays on."""
    dice = Dice(1)
    junk = [
        "",
        "{",
        "null",
        "[" * 500,
        '{"type":"choose"}',
        '{"type":"choose","decision":"0","index":0}',
        '{"type":"choose","decision":99999,"index":0}',
        '{"type":"choose","decision":-1,"index":0}',
        '{"type":"choose","decision":0,"index":-1}',
        '{"type":"choose","decision":0,"index":1e400}',
        '{"type":"stepped","tick":0}',
        '{"type":"swap","seat":9,"agent":"idle"}',
        "x" * (MOST_BYTES + 1),
        "\x00\ud7ff",
    ]
    sent = 0
    async with (
        serving(plan(tmp_path, outside={0: "human", 1: "human"}, steps=150)) as served,
        connect(served.address("seat", 0)) as ada,
    ):
        playing = asyncio.create_task(play(ada))
        while sent < 10_000:
            role, seat = dice.choice((("seat", 1), ("watcher", None)))
            async with connect(served.address(role, seat)) as bad:
                try:
                    for _ in range(500):
                        await bad.send(dice.choice(junk) if dice.random() < 0.98 else os.urandom(40))
                        sent += 1
                except ConnectionClosed:
                    pass
        async with connect(served.address("seat", 1)):
            await playing
        async with httpx.AsyncClient() as client:
            alive = (await client.get(served.url("/"))).status_code

    trace = read_trace(tmp_path / "5.jsonl")
    assert alive == 200
    assert rerun(trace).agrees
    assert not [event for event in trace.events if isinstance(event, ChoiceRejected)]
    chosen = [(event.seat, event.holder) for event in trace.events if isinstance(event, OptionChosen)]
    assert (1, "human") not in chosen
    assert chosen.count((0, "human")) > 5


async def test_a_message_of_a_megabyte_ends_its_own_connection_alone(tmp_path: Path) -> None:
    """It is never read whole."""
    async with serving(plan(tmp_path, steps=200)) as served, connect(served.address("watcher")) as loud:
        await loud.send("x" * 2**20)
        ended = await drained(loud)
        async with connect(served.address("seat", 0)) as socket:
            assert await said(socket, "offer")

    assert ended.rcvd is not None
    assert ended.rcvd.code == 1009


async def test_pages_forbid_what_they_do_not_need(tmp_path: Path) -> None:
    """Nothing from elsewhere, no frame around them, and nothing of a game or a name is in their HTML."""
    async with serving(plan(tmp_path)) as served, httpx.AsyncClient() as client:
        answers = [await client.get(served.url(path)) for path in served.paths.values()]
        script = await client.get(served.url("/" + "page/app.js"))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    for answer in (*answers, script):
        assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "pantry" not in answers[0].text


async def test_a_seat_that_is_left_is_kept_then_relieved_and_given_back(tmp_path: Path) -> None:
    """Within the grace time it stands still; after that the fallback holds it, until its holder is back."""
    async with serving(plan(tmp_path, steps=120, grace=0.3)) as served:
        async with connect(served.address("seat", 0)) as socket:
            await said(socket, "offer")
        await asyncio.sleep(0.1)
        async with connect(served.address("seat", 0)) as socket:
            await said(socket, "offer")
        await asyncio.sleep(0.9)
        async with connect(served.address("seat", 0)) as socket:
            await play(socket)

    trace = read_trace(tmp_path / "5.jsonl")
    changes = [(event.was, event.holder) for event in trace.events if isinstance(event, SeatChanged)]
    assert changes == [("human", "idle"), ("idle", "human")]
    assert rerun(trace).agrees


async def test_the_world_stands_still_while_it_is_paused(tmp_path: Path) -> None:
    """No tick passes, and none is made up for afterwards."""
    async with serving(plan(tmp_path, steps=300)) as served, connect(served.address("seat", 0)) as socket:
        await said(socket, "offer")
        await say(socket, type="pause", paused=True)
        while (state := await said(socket, "state"))["phase"] != "paused":
            pass
        await asyncio.sleep(0.3)
        await say(socket, type="pause", paused=False)
        while (later := await said(socket, "state"))["phase"] != "playing":
            pass

    assert later["tick"] <= state["tick"] + 1


async def test_the_host_gives_a_seat_to_somebody_else(tmp_path: Path) -> None:
    """And back; on the record, and an agent that there is not changes nothing."""
    async with (
        serving(plan(tmp_path, steps=60)) as served,
        connect(served.address("host")) as host,
        connect(served.address("seat", 0)) as socket,
    ):
        playing = asyncio.create_task(play(socket))
        await said(host, "welcome")
        while (await said(host, "state"))["phase"] != "playing":
            pass
        await say(host, type="swap", seat=1, agent="nobody")
        refused = await said(host, "refused")
        await say(host, type="swap", seat=1, agent="idle")
        await playing

    trace = read_trace(tmp_path / "5.jsonl")
    assert "there is no agent 'nobody'" in refused["problem"]
    assert [(event.seat, event.was, event.holder) for event in trace.events if isinstance(event, SeatChanged)] == [
        (1, "random", "idle")
    ]
    assert rerun(trace).agrees


async def test_events_come_from_the_first_on_whenever_one_asks_for_them(tmp_path: Path) -> None:
    """They are those of the trace; without asking, none is sent."""
    async with serving(plan(tmp_path, steps=30)) as served, connect(served.address("seat", 0)) as socket:
        playing = asyncio.create_task(play(socket))
        await asyncio.sleep(0.2)
        async with connect(served.address("watcher", query="protocol=1&events=1")) as watcher:
            heard = []
            async for text in watcher:
                message = msgspec.json.decode(text)
                if message["type"] == "event":
                    heard.append(message["event"])
                if message["type"] == "over":
                    break
        _, told = await playing

    trace = read_trace(tmp_path / "5.jsonl")
    assert heard == [msgspec.json.decode(msgspec.json.encode(event)) for event in trace.events]
    assert not [message for message in told if message["type"] == "event"]


async def test_what_is_no_websocket_is_answered_as_a_page_would_be(tmp_path: Path) -> None:
    """A plain request to the socket's address is no way in."""
    async with serving(plan(tmp_path)) as served:
        with pytest.raises(InvalidStatus):
            async with connect(served.address("seat", 0).replace("/ws/", "/wsx/")):
                pass


async def test_a_seat_that_the_host_gave_away_stays_given(tmp_path: Path) -> None:
    """Whoever closes a page, or opens it again, does not undo what the host has decided."""
    both = {0: "human", 1: "human"}
    async with (
        serving(plan(tmp_path, outside=both, steps=150, grace=0.1)) as served,
        connect(served.address("host")) as host,
        connect(served.address("seat", 0)) as ada,
    ):
        async with connect(served.address("seat", 1)):
            playing = asyncio.create_task(play(ada))
            while (await said(host, "state"))["phase"] != "playing":
                pass
            await say(host, type="swap", seat=1, agent="random")
            while (await said(host, "state"))["places"][1]["holder"] != "random":
                pass
        await asyncio.sleep(0.5)
        async with connect(served.address("seat", 1)):
            await playing

    changes = [event for event in read_trace(tmp_path / "5.jsonl").events if isinstance(event, SeatChanged)]
    assert [(event.seat, event.was, event.holder) for event in changes] == [(1, "human", "random")]


async def test_who_says_too_much_is_sent_away(tmp_path: Path) -> None:
    """Forty at once and twenty a second are heard; hundreds more end the connection, and nobody else's."""
    async with serving(plan(tmp_path, steps=300)) as served, connect(served.address("seat", 0)) as seat:
        async with connect(served.address("watcher")) as loud:
            for _ in range(400):
                await loud.send('{"type":"again"}')
            ended = await drained(loud)
        offer = await said(seat, "offer")

    assert ended.rcvd is not None
    assert (ended.rcvd.code, ended.rcvd.reason) == (4029, "too many messages")
    assert offer["seat"] == 0
