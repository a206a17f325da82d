"""Replies of seven seats on a cassette and in vcrpy: who gets them, and their size.

Crossings: seven agents ask one server at once, `ROUNDS` times, and are recorded; then the
same is played. The server says whose its answer is, after a delay that is drawn anew each time.
A reply that reaches another seat than it was given to is a crossing. vcrpy is measured
as it comes, and with the body among what must match: once where the prompt is all that a body
holds, and once where each body also names its seat.

Size: one episode of the model that comes with hocket. The same decisions as its trace and
as our cassette hold them, and as vcrpy does: the chat messages as request, the choice as response,
with no more headers than httpx and a plain server send.

    python benchmarks/cassette.py [ROUNDS]
"""

import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random as Dice
from time import sleep
from typing import Any, NamedTuple

import httpx
import zstandard

from hocket.agents.exported import Exported
from hocket.agents.idle import Idle
from hocket.agents.llm import LocalModel
from hocket.agents.named_base import find_base
from hocket.agents.prompt import make_prompt
from hocket.agents.style import Style
from hocket.agents.taped import taped
from hocket.games import registry
from hocket.learners.own_guards import own_guards
from hocket.replays.cassette import Cassette
from hocket.replays.trace import make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.events import Event, OptionChosen
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

SEATS = 7
BAR = 3
"""How many times the bytes of a compressed trace vcrpy is to take at least, a decision."""
Ask = Callable[[int, int], Awaitable[str]]
"""Asks for a seat and a decision; returns the reply."""


class Answering(BaseHTTPRequestHandler):
    """Says what the header `X-Reply` asks it to, after a while."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        sleep(float(self.headers.get("X-Delay", 0)))
        reply = self.headers["X-Reply"].encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def server() -> Iterator[str]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/v1/chat/completions"
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


class Count(NamedTuple):
    """What came of so many questions."""

    crossed: int = 0
    """Replies that were given to another seat."""
    wrong: int = 0
    """Those of the seat's own that belong to another decision, and those that never came."""


async def crossings(ask: Ask, rounds: int) -> Count:
    """Let seven seats ask at once, again and again."""
    crossed = wrong = 0
    for decision in range(rounds):
        replies = await asyncio.gather(*(ask(seat, decision) for seat in range(SEATS)), return_exceptions=True)
        for seat, reply in enumerate(replies):
            another = isinstance(reply, str) and not reply.endswith(f"of seat {seat}")
            crossed += another
            wrong += not another and reply != whose(seat, decision)
    return Count(crossed, wrong)


def whose(seat: int, decision: int) -> str:
    return f"decision {decision} of seat {seat}"


def over_http(client: httpx.AsyncClient, url: str, seed: int, *, named: bool) -> Ask:
    dice = Dice(seed)

    async def ask(seat: int, decision: int) -> str:
        body = {"messages": [{"role": "user", "content": "which way?"}]} | ({"seat": seat} if named else {})
        headers = {"X-Reply": whose(seat, decision), "X-Delay": f"{dice.random() / 100:.4f}"}
        return (await client.post(url, json=body, headers=headers)).text

    return ask


async def vcrpy_crossings(url: str, path: Path, rounds: int, *, body: bool, named: bool) -> Count:
    import vcr

    tape = vcr.VCR()
    if body:
        tape.match_on = (*tape.match_on, "body")
    counts = []
    for seed in range(2):
        with tape.use_cassette(str(path)):
            async with httpx.AsyncClient() as client:
                counts.append(await crossings(over_http(client, url, seed, named=named), rounds))
    recorded, played = counts
    if recorded != Count():
        raise SystemExit(f"{recorded} while it was recorded")
    return played


async def our_crossings(url: str, path: Path, rounds: int) -> Count:
    with Cassette.record(path, seats=SEATS) as recording:
        async with httpx.AsyncClient() as client:
            model = over_http(client, url, 0, named=False)

            async def record(seat: int, decision: int) -> str:
                reply = await model(seat, decision)
                recording.put(seat, decision, "which way?", reply)
                return reply

            await crossings(record, rounds)
    dice = Dice(1)
    with Cassette.play(path, seats=SEATS) as playing:

        async def replay(seat: int, decision: int) -> str:
            await asyncio.sleep(dice.random() / 100)
            return str(playing.get(seat, decision, "which way?"))

        return await crossings(replay, rounds)


def compare_crossings(folder: Path, rounds: int) -> bool:
    with server() as url:
        ours = asyncio.run(our_crossings(url, folder / "ours.jsonl", rounds))
        theirs = {
            name: asyncio.run(vcrpy_crossings(url, folder / f"{name}.yaml", rounds, body=body, named=named))
            for name, body, named in (
                ("vcrpy", False, True),
                ("vcrpy_matching_body", True, False),
                ("vcrpy_matching_body_that_names_the_seat", True, True),
            )
        }
    for name, count in theirs.items():
        line = {
            "bench": "cassette_crossings",
            "replies": SEATS * rounds,
            "hocket": ours.crossed,
            "hocket_wrong_otherwise": ours.wrong,
            "other": name,
            "other_crossings": count.crossed,
            "other_wrong_otherwise": count.wrong,
            "bar": 0,
        }
        print(json.dumps(line), flush=True)
    return ours == Count()


class Watched:
    """Keeps what a model was offered and what it chose."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self.decisions: list[tuple[Offer, object]] = []

    def choose_many(self, offers: Any) -> Any:
        answers = self._model.choose_many(offers)
        self.decisions += zip(offers, answers, strict=True)
        return answers


def episode(folder: Path, steps: int) -> list[tuple[Offer, object]]:
    """Play and keep two traces and a cassette; return the decisions."""
    game = registry.make("overcooked:asymmetric_advantages")
    library, base = registry.library(game), find_base("")
    guards = own_guards(game, library).guards
    model = LocalModel(Exported(base), game.words, base.style)
    for seat in range(game.seats):
        model.seat(seat, None)
    watched = Watched(model)
    names = [f"llm {seat}" for seat in range(game.seats)]
    header = make_header(
        game,
        library,
        seed=1,
        starts="standard",
        steps=steps,
        seats=names,
        guards=guards,
        agents={name: model.mark(seat) for seat, name in enumerate(names)},
    )
    events = list[Event]()
    with Cassette.record(folder / "episode.cassette.jsonl", seats=game.seats) as cassette:
        chooser = taped(cassette, watched, style=base.style)
        seats = Seats([Holder(name, chooser) for name in names], Holder("idle", Idle()))
        scheduler = Scheduler(game, library, seed=1, holders=names, steps=steps, guards=guards)
        play([Rollout(scheduler, seats, events.extend)])
    for name in ("episode.jsonl", "episode.jsonl.zst"):
        writer = TraceWriter(folder / name, header)
        for event in events:
            writer.write(event)
            writer.flush()
        writer.close()
    chosen = sum(isinstance(event, OptionChosen) for event in events)
    if chosen != len(watched.decisions):
        raise SystemExit(f"{chosen} of {len(watched.decisions)} decisions are in the trace")
    return watched.decisions


async def vcrpy_episode(url: str, path: Path, decisions: list[tuple[Offer, object]], style: Style) -> None:
    import vcr

    with vcr.use_cassette(str(path), filter_headers=["X-Reply"]):
        async with httpx.AsyncClient() as client:
            for offer, answer in decisions:
                prompt = make_prompt(offer, style)
                messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
                body = {"model": f"seat{offer.seat}", "messages": messages}
                reply = json.dumps({"choices": [{"message": {"role": "assistant", "content": said(offer, answer)}}]})
                await client.post(url, json=body, headers={"X-Reply": reply})


def said(offer: Offer, answer: object) -> str:
    if isinstance(answer, Choice):
        return f"choice: {offer.menu.letters[answer.index]}"
    return answer.detail if isinstance(answer, NoChoice) else "?"


def compare_sizes(folder: Path, steps: int) -> bool:
    decisions = episode(folder, steps)
    with server() as url:
        for name, style in (("brief", find_base("").style), ("full", Style())):
            asyncio.run(vcrpy_episode(url, folder / f"{name}.yaml", decisions, style))
    size = {
        name: (folder / file).stat().st_size / len(decisions)
        for name, file in (
            ("trace", "episode.jsonl"),
            ("trace_zst", "episode.jsonl.zst"),
            ("cassette", "episode.cassette.jsonl"),
            ("vcrpy", "brief.yaml"),
            ("vcrpy_prompts_in_sentences", "full.yaml"),
        )
    }
    packed = len(zstandard.compress((folder / "brief.yaml").read_bytes())) / len(decisions)
    ratio = size["vcrpy"] / size["trace_zst"]
    line = {
        "bench": "cassette_bytes_a_decision",
        "decisions": len(decisions),
        **{name: round(each) for name, each in size.items()},
        "vcrpy_packed_by_hand": round(packed),
        "ratio": round(ratio, 2),
        "bar": BAR,
    }
    print(json.dumps(line), flush=True)
    return ratio >= BAR


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    try:
        import vcr  # noqa: F401
    except ImportError:
        print(json.dumps({"bench": "cassette", "skipped": "vcrpy is not installed"}), flush=True)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        held = compare_crossings(Path(folder), rounds)
        held &= compare_sizes(Path(folder), 400)
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
