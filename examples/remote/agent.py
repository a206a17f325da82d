"""An agent in a process of its own that knows the protocol alone.

    hocket serve overcooked:cramped_room --seat 0=remote --seat 1=scripted:cook
    python agent.py http://127.0.0.1:8000/seat/TOKEN

It needs a WebSocket and JSON, so it could be written in any language.
"""

import asyncio
import json
import sys
from typing import Any

from websockets.asyncio.client import connect

WISHES = {"nothing": "pick_onion", "onion": "place_in_pot"}
"""By what is held: it carries onions, and leaves the rest to its partner."""


def choose(offer: dict[str, Any]) -> int:
    """Pick from the menu: what it would like, else to wait."""
    held = offer["observation"]["me"]["held"]
    wish = WISHES.get(held, "drop_held")
    fits = [place for place, entry in enumerate(offer["menu"]) if entry["option"] == wish]
    waits = [place for place, entry in enumerate(offer["menu"]) if entry["option"] == "wait"]
    return fits[int(offer["draw"] * len(fits))] if fits else waits[0]


async def play(link: str) -> None:
    """Hold the seat until the episode is over."""
    place, _, token = link.removeprefix("http://").partition("/seat/")
    async with connect(f"ws://{place}/ws/{token}?protocol=1") as socket:
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "offer":
                answer = {"type": "choose", "decision": message["decision"], "index": choose(message)}
                await socket.send(json.dumps(answer))
            elif message["type"] == "over":
                print(f"return {message['total']:g}")
                return


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1]))
