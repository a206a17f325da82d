"""Every number that a training run depends on.

What the paper states is a default here only where it states it for all runs; a preset says
what comes from where (`preset.py`). Nothing is read from anywhere else.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hocket.agents.fresh import TARGETS
from hocket.agents.style import Profile, Scorer
from hocket.learners.advantage import Spread
from hocket.learners.decision import Credit

Count: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000)]
Amount: TypeAlias = Annotated[float, Meta(ge=0.0, le=1e6)]
Beta: TypeAlias = Annotated[float, Meta(ge=0.0, lt=1.0)]
Points: TypeAlias = Annotated[float, Meta(ge=-1e6, le=1e6)]
Starts: TypeAlias = Literal["standard", "varied", "scattered"]
"""Kinds of starts as the game contract has them, without a seed: a round draws its own."""
Seed: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
SEED_FLOOR = 1 << 20
"""Episode seeds of training are above this; those of evaluation are below."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class GamePart(_Part, frozen=True, kw_only=True):
    """What is played."""

    name: str
    settings: dict[str, object] = {}
    libraries: Annotated[tuple[str, ...], Meta(min_length=1)] = ("default",)
    """Option libraries that the training seed picks one of."""
    starts: Starts = "standard"
    best_return: Annotated[float, Meta(ge=-1e12, le=1e12)] | None = None
    """The best that the game allows, in game points, where that is known."""


class ModelPart(_Part, frozen=True, kw_only=True):
    """The frozen base, and how it is asked."""

    base: str = "llm"
    """As for a seat: `llm`, `llm:smollm2`, `llm:FOLDER`."""
    profile: Profile | None = None
    """None for the base's own."""
    scorer: Scorer | None = None
    """The same; `json` goes with that interface."""
    most_tokens: Count | None = None
    grammar: bool | None = None
    device: str = "auto"


class CellPart(_Part, frozen=True, kw_only=True):
    """The cell of the ablation grid."""

    interface: Literal["menu", "json", "native"] = "menu"
    capacity: Literal["private", "shared", "frozen"] = "private"
    """An adapter for each seat, one for all, or none that learns."""


class LoraPart(_Part, frozen=True, kw_only=True):
    """The adapters."""

    rank: Annotated[int, Meta(ge=1, le=1024)] = 16
    alpha: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    """Twice the rank unless one says otherwise."""
    targets: Annotated[tuple[str, ...], Meta(min_length=1)] = TARGETS
    blocks: Annotated[tuple[int, ...], Meta(min_length=1)] | None = None
    """Numbers of the blocks that are changed; all where left out."""


class RolloutsPart(_Part, frozen=True, kw_only=True):
    """How a cohort is played."""

    cohort: Annotated[int, Meta(ge=2, le=4096)]
    """K."""
    groups: Count | None = None
    """Cohorts of a round, each from one start; where left out, one, whose rollouts begin as their own seeds say."""
    steps: Count | None = None
    """Training horizon, in ticks; the game's usual length where left out."""
    temperature: Annotated[float, Meta(gt=0, le=100)] = 1.0
    record: bool = False
    """Whether rollouts are kept as traces in the run's folder."""


class Optimiser(_Part, frozen=True, kw_only=True):
    """AdamW."""

    learning_rate: Annotated[float, Meta(gt=0, le=1)]
    betas: tuple[Beta, Beta] = (0.9, 0.999)
    epsilon: Annotated[float, Meta(gt=0, le=1)] = 1e-8
    weight_decay: Amount = 0.0


class UpdatePart(_Part, frozen=True, kw_only=True):
    """The surrogate loss, and how it is gone down."""

    epochs: Annotated[int, Meta(ge=1, le=100)] = 2
    clip: Annotated[float, Meta(gt=0, lt=1)] = 0.2
    gradient_clip: Annotated[float, Meta(gt=0, le=1e12)] = 1.0
    kl: Amount = 0.0
    """Weight of KL(policy || reference)."""
    reference: Literal["base", "initial"] = "base"
    """The policy without an adapter, or with the one that it began with."""
    entropy: Amount = 0.0
    """Weight of an entropy bonus."""
    stop: Amount = 0.0
    """Divergence from the policy that played, in nats, at which an update ends early; 0 for never."""
    advantage: Literal["episode", "to_go"] = "episode"
    discount: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """For `to_go`."""
    shaping: dict[str, Points] = {}
    """Points that a game event adds to the team's reward, for advantages alone: by kind, `potted`, or by kind and
    what it is about, `potted:onion`."""
    shaping_rounds: Count | None = None
    """Rounds over which these fade to nothing; they stay where left out."""
    spread: Spread = "population"
    epsilon: Amount = 0.0
    """Added to the standard deviation, in game points."""
    floor: Amount = 0.0
    """The least standard deviation that is divided by, in game points."""
    no_spread: Literal["skip", "keep"] = "skip"
    """A cohort in which no rollout has an advantage: left out, or kept for KL, entropy and the mean."""
    credit: Credit = "choice"
    average: Literal["decisions", "rollouts"] = "decisions"
    """The loss is a mean over decisions, or over rollouts of their means."""
    forced: Literal["exclude", "include"] = "exclude"
    """Decisions with nothing to choose: left out, or counted in the mean."""
    order: Literal["shuffled", "played"] = "shuffled"
    minibatch: Count = 128
    """Decisions of one step of the optimiser."""
    rows: Count = 64
    """Decisions of one forward pass; changes no result but the last bits."""
    checkpointing: bool = False
    receipt_tolerance: Amount = 1e-3
    """Most by which a receipt's log-probability may differ from the learner's own, in nats."""


class EvaluationPart(_Part, frozen=True, kw_only=True):
    """How the outcome is measured."""

    episodes: Count = 20
    first_seed: Seed = 10_000
    steps: Count | None = None
    """In ticks; the game's usual length where left out, however long training rollouts are."""
    starts: Starts = "standard"
    greedy: bool = True
    """Whether the likeliest choices are measured beside the sampled ones."""


class SeedsPart(_Part, frozen=True, kw_only=True):
    """The four channels of chance; each is the run's seed unless it has one of its own."""

    library: Seed | None = None
    initialisation: Seed | None = None
    rollouts: Seed | None = None
    order: Seed | None = None


class Config(_Part, frozen=True, kw_only=True):
    """One training run."""

    about: str
    seed: Seed = 0
    rounds: Count
    keep: Count = 2
    """Rounds whose adapters are kept, beside the best."""
    game: GamePart
    model: ModelPart = ModelPart()
    cell: CellPart = CellPart()
    lora: LoraPart = LoraPart()
    rollouts: RolloutsPart
    optimiser: Optimiser
    update: UpdatePart = UpdatePart()
    evaluation: EvaluationPart = EvaluationPart()
    seeds: SeedsPart = SeedsPart()

    def channel(self, name: str) -> int:
        """Return the seed of a channel."""
        own: int | None = getattr(self.seeds, name)
        return self.seed if own is None else own
