"""`hocket join`: an agent of this process takes a seat at somebody else's table."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import typer

from hocket.agents.models import Models
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.runtime.errors import MissingError, MissingExtraError, SettingError, TableError, UsageError
from hocket.runtime.game import Game
from hocket.runtime.policy import Chooser, Policy, as_policy

if TYPE_CHECKING:
    from hocket.agents.web.messages import Welcome

_RIGHT = "the link of a seat, as `hocket serve` prints it: http://HOST:PORT/seat/TOKEN"


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="The link of a seat that `hocket serve` printed.")],
    agent: Annotated[str, typer.Option(metavar="AGENT", help="Who sits there, as for a seat of `hocket play`.")] = "",
    episodes: Annotated[int, typer.Option(help="Leave after so many; 0 for staying.")] = 1,
) -> int:
    """Take a seat of a served game with an agent that runs here.

    \b
    hocket join http://127.0.0.1:8000/seat/TOKEN --agent scripted:cook
    """
    if not agent:
        raise MissingError(argument="--agent AGENT", what="it says who sits there")
    if not 0 <= episodes <= 10**6:
        raise SettingError(setting="--episodes", value=episodes, right="0 to 1,000,000")
    scheme, separator, rest = url.partition("://")
    place, seat_, token = rest.rpartition("/seat/")
    if scheme not in ("http", "https") or not separator or not (place and seat_ and token):
        raise SettingError(setting="URL", value=url, right=_RIGHT)
    try:
        import websockets  # noqa: F401

        import hocket.agents.web.messages  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(extra="web", needed_for="`hocket join`") from error
    address = f"{'wss' if scheme == 'https' else 'ws'}://{place}/ws/{token}?protocol=1&events=1"
    try:
        anyio.run(_sit, address, place, agent, episodes)
    except KeyboardInterrupt:
        return 130
    return 0


async def _sit(address: str, place: str, agent: str, episodes: int) -> None:
    import msgspec
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, WebSocketException

    from hocket.agents.joined import Joined
    from hocket.agents.web.messages import Over, Welcome

    welcome, over = msgspec.json.Decoder(Welcome), msgspec.json.Decoder(Over)
    joined: Joined | None = None
    played = 0
    try:
        async with connect(address, max_size=2**24) as socket:
            async for message in socket:
                text = message if isinstance(message, str) else message.decode()
                kind = msgspec.json.decode(text)["type"]
                if kind == "welcome":
                    seat = _seat(welcome.decode(text))
                    _known(agent, seat, welcome.decode(text).game)
                    joined = Joined(agent, seat, partial(_policy, agent, seat))
                    typer.echo(f"seat {seat} of {welcome.decode(text).game}")
                elif joined is not None:
                    await joined.take(text, socket.send)
                if kind == "over":
                    typer.echo(f"return {over.decode(text).total:g}")
                    played += 1
                    if episodes and played >= episodes:
                        return
        raise TableError(table=place, problem="the connection was lost")
    except ConnectionClosed as error:
        said = error.rcvd.reason if error.rcvd is not None else ""
        raise TableError(table=place, problem=said or "the connection was lost") from error
    except (OSError, WebSocketException, TimeoutError, ValueError) as error:
        if isinstance(error, msgspec.MsgspecError | UnicodeError | KeyError) and joined is not None:
            raise TableError(table=place, problem=f"says what is not understood: {error}") from error
        raise TableError(table=place, problem=f"cannot be reached: {error}") from error


def _seat(welcome: "Welcome") -> int:
    if welcome.role != "seat" or welcome.seat is None:
        raise SettingError(setting="URL", value=f"the link of a {welcome.role}", right=_RIGHT)
    return welcome.seat


def _known(agent: str, seat: int, game: str) -> None:
    """Refuse an agent that could not play, before an episode begins without it."""
    try:
        world = registry.make(game)
    except UsageError:
        return  # a layout of its own, which the header brings along
    _policy(agent, seat, world)


def _policy(agent: str, seat: int, game: Game[Any]) -> Policy:
    held = Cast(game.spec.kind, Models(game, waits=False)).holder(agent, seat).agent
    return as_policy(held) if isinstance(held, Chooser) else held
