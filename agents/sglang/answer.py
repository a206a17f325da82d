"""What SGLang's answers look like, and what they say.

Only the fields that are read are named; others may come and go. A number that JSON
cannot hold arrives as null, and is as absurd as a missing one.
"""

from collections.abc import Iterable
from math import exp, isfinite, log
from typing import TypeAlias, TypeVar

import msgspec

from hocket.agents.query import Query, Writing, Written
from hocket.agents.tree import Ids

T = TypeVar("T")

Item: TypeAlias = tuple[float | None, int, str | None]
"""Log-probability, token id, and the token's text where that was asked for."""

_LONGEST = 200
"""What is repeated of a server's own words, in characters."""


class FaultError(Exception):
    """One try to get an answer failed; another may not."""


class Reason(msgspec.Struct, frozen=True):
    """Why a text ended."""

    type: str
    matched: int | str | None = None
    """The token or the stop text with which it ended."""
    message: str | None = None


class Meta(msgspec.Struct, frozen=True):
    """What is said about a text."""

    id: str
    finish_reason: Reason
    cached_tokens: int = 0
    output_token_logprobs: list[Item] = []
    output_token_ids_logprobs: list[list[Item]] = []


class Answer(msgspec.Struct, frozen=True):
    """One of `POST generate`."""

    output_ids: list[int]
    meta_info: Meta


class Model(msgspec.Struct, frozen=True):
    """`GET model_info`."""

    model_path: str
    served_model_name: str


class Server(msgspec.Struct, frozen=True):
    """`GET server_info`."""

    version: str
    dtype: str
    enable_lora: bool | None
    max_loras_per_batch: int
    max_lora_rank: int | None
    lora_target_modules: list[str] | None


class Card(msgspec.Struct, frozen=True):
    """The base, or an adapter, which has a parent."""

    id: str
    parent: str | None = None
    max_model_len: int | None = None


class Cards(msgspec.Struct, frozen=True):
    """`GET v1/models`."""

    data: list[Card]


class ServerFacts(msgspec.Struct, frozen=True):
    """What a server says of itself."""

    model: str
    """Path of the base, as the server was given it."""
    name: str
    version: str
    """Of SGLang."""
    dtype: str
    context: int
    """Length of prompt and reply together, in tokens."""
    lora: bool
    slots: int
    """Adapters that fit in one batch, the base among them."""
    rank: int
    """Largest of an adapter; 0 where none can be loaded."""
    modules: tuple[str, ...]
    """What adapters may change, in alphabetical order."""


class Changed(msgspec.Struct, frozen=True):
    """`POST load_lora_adapter` and `unload_lora_adapter`."""

    success: bool
    error_message: str | None = None
    loaded_adapters: dict[str, str] | None = None


class _Refusal(msgspec.Struct, frozen=True):
    error: dict[str, object] | str


def server_facts(model: Model, server: Server, cards: Cards) -> ServerFacts:
    """Put together what a server says of itself in three places."""
    lengths = [card.max_model_len for card in cards.data if card.max_model_len]
    return ServerFacts(
        model=model.model_path,
        name=model.served_model_name,
        version=server.version,
        dtype=server.dtype,
        context=lengths[0] if lengths else 0,
        lora=bool(server.enable_lora),
        slots=server.max_loras_per_batch,
        rank=server.max_lora_rank or 0,
        modules=tuple(sorted(server.lora_target_modules or ())),
    )


def decoded(content: bytes, kind: type[T]) -> T:
    """Read an answer.

    Raises:
        FaultError: not JSON, or not of this kind.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FaultError(f"its answer makes no sense: {error}") from error


def words(content: bytes) -> str:
    """Return a refusal in the server's own words, as they follow a sentence; empty if it has none."""
    try:
        error = msgspec.json.decode(content, type=_Refusal).error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    said = error if isinstance(error, str) else error.get("message")
    return f": {one_line(str(said))}" if said else ""


def one_line(text: str | None) -> str:
    """Return the beginning of a text, without line breaks."""
    line = " ".join((text or "no reason given").split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def log_probs(answer: Answer, query: Query) -> tuple[float, ...]:
    """Read the log-probabilities of a query's candidates, over these alone; the server may change their order.

    Raises:
        FaultError: one is missing or no number, or the server gave up.
    """
    _check_ended(answer)
    rows = answer.meta_info.output_token_ids_logprobs
    found = {token: value for value, token, _ in rows[0]} if len(rows) == 1 else {}
    if missing := [token for token in query.among if token not in found]:
        raise FaultError(f"its answer lacks the log-probabilities of {len(missing)} of {len(query.among)} tokens")
    values = _numbers(found[token] for token in query.among)
    most = max(values)
    total = most + log(sum(exp(value - most) for value in values))
    return tuple(value - total for value in values)


def written(answer: Answer, writing: Writing) -> Written:
    """Read what was written: its tokens without the end, and the log-probability of all that was drawn.

    Raises:
        FaultError: a log-probability is missing or no number, or the server gave up.
    """
    _check_ended(answer)
    items = answer.meta_info.output_token_logprobs
    if [token for _, token, _ in items] != answer.output_ids:
        raise FaultError(f"its answer has {len(items)} log-probabilities of {len(answer.output_ids)} tokens, or others")
    drawn = sum(_numbers(value for value, _, _ in items)) if writing.temperature else 0.0
    return Written(_without_end(items, answer.meta_info.finish_reason.matched), drawn)


def _check_ended(answer: Answer) -> None:
    reason = answer.meta_info.finish_reason
    if reason.type == "abort":
        raise FaultError(f"it gave a request up: {one_line(reason.message)}")


def _numbers(values: Iterable[float | None]) -> list[float]:
    numbers: list[float] = []
    for value in values:
        if value is None or not isfinite(value):
            raise FaultError("a log-probability in its answer is no finite number")
        numbers.append(value)
    return numbers


def _without_end(items: list[Item], matched: int | str | None) -> Ids:
    """Leave out the token that ended a text, or those from where the stop text begins."""
    ids = tuple(token for _, token, _ in items)
    if not isinstance(matched, str):
        return ids[:-1] if ids and ids[-1] == matched else ids
    tail = ""
    for place in reversed(range(len(items))):
        tail = (items[place][2] or "") + tail
        if matched in tail:
            return ids[:place]
    return ids
