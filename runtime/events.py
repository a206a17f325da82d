"""What happened: the records that cross the bus and fill a trace.

One tagged union of frozen structs, in the past tense. Within one tick they come
in a fixed order: offers of all due seats, then what became of each offer, both
in seat order, then the step of the world, then the options that it ended, again
in seat order. So a trace is one sequence, whatever order replies came back in.
"""

from typing import TypeAlias

import msgspec

Cell: TypeAlias = tuple[int, int]
"""A place on a grid, (x, y) from the upper left corner."""


class GameEvent(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something that the game itself reports: an item put down, a soup delivered."""

    kind: str
    seat: int = -1
    """The seat that did it; -1 where the world did."""
    what: str = ""
    """The thing that it was done with, e.g. `onion`."""
    at: Cell | None = None
    amount: float = 0.0
    """How much, in the units of the kind; game points for a delivery."""


class Receipt(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where a choice came from: only what is a function of seed, agent and offer.

    A language model fills in the rest, so that a folder of traces is enough to learn from. Log-probabilities are
    natural logarithms.
    """

    log_prob: float | None = None
    """Of what was drawn, as it was drawn: at the agent's temperature, over what it could choose from."""
    backend: str = ""
    """What computed it: `local`, `sglang`."""
    base: str = ""
    """Digest of the base model."""
    adapter: str = ""
    """Versioned name, e.g. `seat1@v17`; empty for the base itself."""
    adapter_digest: str = ""
    check: str = ""
    """What is known of who answered, beyond the name: whether its canary told it from its base."""
    scorer: str = ""
    """How a choice came out of log-probabilities."""
    temperature: float = 1.0
    prompt: tuple[int, ...] = ()
    """Token ids of the prompt, behind the prefix that the header of a trace holds for this agent."""
    menu: tuple[float, ...] = ()
    """Log-probabilities of the menu's entries at temperature 1, in menu order.

    Where there is an intent they are given that intent: near certain for a model that means what it says.
    """
    intent: int | None = None
    """Position on the menu that a first line named."""
    intents: tuple[float, ...] = ()
    """Log-probabilities of that line, in menu order, at temperature 1."""
    reply: tuple[int, ...] = ()
    """Token ids of what was written out."""
    position: int = 0
    """Where in the seat's stream of choices its draws begin: the number of the decision."""
    draws: int = 0
    """How many numbers of the stream were used: number k of decision d is draw d + k * 2^32 of it."""


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    tick: int
    """The tick at which it happened, counted from 0."""


class EpisodeStarted(_Event, frozen=True, tag="episode_started"):
    """The world was reset and every seat taken."""

    holders: tuple[str, ...]
    """Name of the agent in each seat."""
    steps: int
    """Length of the episode, in ticks."""


class MenuOffered(_Event, frozen=True, tag="menu_offered"):
    """A seat had nothing to do and was shown what it could start."""

    seat: int
    decision: int
    """Running number of the seat's decisions, from 0."""
    menu: tuple[str, ...]
    """Keys of the option instances in menu order: the first has letter A."""


class OptionChosen(_Event, frozen=True, tag="option_chosen"):
    """A seat's agent answered its offer; the tick is that at which the choice took effect."""

    seat: int
    decision: int
    index: int
    """Position on the menu, from 0."""
    option: str
    """Key of the chosen instance."""
    holder: str
    """Name of the agent that held the seat."""
    receipt: Receipt | None = None


class ChoiceRejected(_Event, frozen=True, tag="choice_rejected"):
    """A reply could not be taken for a choice; the offer stays open."""

    seat: int
    decision: int
    reason: str
    """`malformed`, `not on the menu`, `another offer`, `another model`; or `late`, where its offer has ended before."""
    detail: str
    receipt: Receipt | None = None
    """Where the reply came from, if its agent says so."""


class OfferLapsed(_Event, frozen=True, omit_defaults=True, tag="offer_lapsed"):
    """An offer ended without a choice; the seat stands still, or goes on with a default option."""

    seat: int
    decision: int
    reason: str
    """`timeout`, `rejected` or `failed` for what its agent did, `cancelled` where the episode ended."""
    instead: str = ""
    """Key of the instance that the seat goes on with, from the same menu; empty where it stands still."""


class FaultInjected(_Event, frozen=True, omit_defaults=True, tag="fault_injected"):
    """The simulated network, or an agent's wrapper, did something to a message on purpose."""

    seat: int
    fault: str
    """`drop`, `duplicate`, `reorder`, `partition`, `hold`, `crash`, or a fault of the agent's, such as `malformed`."""
    message: str = ""
    """`offer` or `choice`; empty where a partition, a hold or a crash begins."""
    decision: int = -1
    ticks: int = 0
    """How long it lasts, or by how much the message is late; 0 where that is nothing or for good."""


class OptionStarted(_Event, frozen=True, tag="option_started"):
    """A seat left its menu and began an option."""

    seat: int
    option: str
    """Key of the instance."""
    plan: int
    """Length of the first plan, in ticks; 0 where expansion failed."""


class OptionEnded(_Event, frozen=True, tag="option_ended"):
    """An option ended, judged on the state after the step of this tick."""

    seat: int
    option: str
    outcome: str
    """`success`, `effect_fail`, `explicit:<reason>`, `timeout` or `cancelled`."""
    ticks: int
    """How long it ran, in ticks."""


class Stepped(_Event, frozen=True, tag="stepped"):
    """The world moved on by one tick."""

    joint: tuple[int, ...]
    """One primitive action a seat, as indices into the game's actions."""
    rewards: tuple[float, ...]
    """Game points of each seat in this step."""
    events: tuple[GameEvent, ...] = ()


class SeatChanged(_Event, frozen=True, tag="seat_changed"):
    """A seat went to another agent."""

    seat: int
    holder: str
    was: str
    reason: str


class AgentFailed(_Event, frozen=True, tag="agent_failed"):
    """An agent raised, was cancelled or exited while it was asked."""

    seat: int
    holder: str
    error: str


class MessageDead(_Event, frozen=True, tag="message_dead"):
    """A message reached nobody, or not everybody it was meant for."""

    message: str
    """Class of the message."""
    mailbox: str
    """Who should have had it; empty where nobody had subscribed."""
    reason: str


class EpisodeEnded(_Event, frozen=True, tag="episode_ended"):
    """The last record of an episode."""

    reason: str
    """`horizon`, `interrupted` or `failed`."""
    returns: tuple[float, ...]
    """Undiscounted return of each seat, in game points."""


Event: TypeAlias = (
    EpisodeStarted
    | MenuOffered
    | OptionChosen
    | ChoiceRejected
    | OfferLapsed
    | OptionStarted
    | OptionEnded
    | Stepped
    | FaultInjected
    | SeatChanged
    | AgentFailed
    | MessageDead
    | EpisodeEnded
)
