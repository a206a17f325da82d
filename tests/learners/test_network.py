"""The policy as a learner computes it, told again by transformers, peft and plain loops."""

import warnings
from collections.abc import Callable, Sequence
from math import exp, log
from typing import Any, TypeAlias, cast

import msgspec
import pytest
import torch

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.fresh import fresh_adapter
from hocket.agents.local import Local
from hocket.agents.named_base import find_base
from hocket.agents.scoring import tempered
from hocket.agents.style import WRITTEN, Scorer
from hocket.agents.tree import Ids
from hocket.agents.weights import Weights
from hocket.learners.adapter import Learning
from hocket.learners.batch import Batch, make_batch, pack_decision
from hocket.learners.body import DecoderBody, ModelBody
from hocket.learners.config import Config, GamePart, Optimiser, RolloutsPart
from hocket.learners.decision import Decision, Draw
from hocket.learners.network import Body, distributions, divergence, entropy
from hocket.learners.stage import LocalTroupe, Scene, Stage

SCORERS: tuple[Scorer, ...] = ("letter", "text", "two_line")
CPU = torch.device("cpu")
Shares: TypeAlias = list[float]
Asked: TypeAlias = Callable[[str, Ids, Ids], Shares]
"""Adapter, tokens so far, candidates: their logits."""


@pytest.fixture(scope="module")
def local() -> Local:
    """The embedded base, as agents have it."""
    return Local(find_base(""))


@pytest.fixture(scope="module")
def decoder() -> DecoderBody:
    """The learner's own, of a base that no adapter was loaded into."""
    return DecoderBody(Weights(find_base(""), "cpu"))


@pytest.fixture(scope="module")
def adapters(local: Local, tmp_path_factory: pytest.TempPathFactory) -> list[Adapter]:
    """Two that answer otherwise than the base and than each other."""
    folder = tmp_path_factory.mktemp("adapters")
    for seat, name in enumerate(("ada@v0", "bo@v0")):
        fresh_adapter(folder / name, local.base, rank=4, seed=seat, spread=0.05)
        local.load(read_adapter(folder / name, local.base))
    return [read_adapter(folder / name, local.base) for name in ("ada@v0", "bo@v0")]


@pytest.fixture(scope="module")
def learning(adapters: list[Adapter]) -> list[Learning]:
    """The same, as they learn."""
    return [Learning(each, CPU, Optimiser(learning_rate=1e-3)) for each in adapters]


@pytest.fixture(scope="module")
def upper(local: Local, tmp_path_factory: pytest.TempPathFactory) -> Learning:
    """One that changes the upper block alone, below which the small decoder keeps what it computed."""
    folder = tmp_path_factory.mktemp("upper") / "cy@v0"
    fresh_adapter(folder, local.base, rank=4, seed=2, spread=0.05, blocks=(1,))
    return Learning(read_adapter(folder, local.base), CPU, Optimiser(learning_rate=1e-3))


@pytest.fixture(scope="module")
def played(local: Local, adapters: list[Adapter]) -> Callable[..., list[Decision]]:
    """Decisions of ada in a short episode, made by what agents compute with and not by the learner."""
    config = Config(
        about="a test",
        rounds=1,
        game=GamePart(name="overcooked:cramped_room"),
        rollouts=RolloutsPart(cohort=2, steps=40),
        optimiser=Optimiser(learning_rate=1e-3),
    )
    stage = Stage(config)
    known: dict[tuple[Any, ...], list[Decision]] = {}

    def play(scorer: Scorer, temperature: float = 1.0, **style: Any) -> list[Decision]:
        key = (scorer, temperature, *sorted(style.items()))
        if key not in known:
            asked = msgspec.structs.replace(local.base.style, scorer=scorer, temperature=temperature, **style)
            troupe = LocalTroupe(stage, local, asked, "reply", steps=24 if scorer in WRITTEN else None)
            troupe.take({0: adapters[0], 1: adapters[1]})
            decisions = troupe.play([Scene(3, "standard")], None)[0].decisions
            known[key] = [each for each in decisions if each.seat == 0 and each.draws][:8]
            assert len(known[key]) >= 3
        return known[key]

    return play


@pytest.fixture(scope="module")
def asked(local: Local, adapters: list[Adapter]) -> Asked:
    """Ask transformers and peft themselves, one whole sequence at a time."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model: Any = cast(Any, AutoModelForCausalLM).from_pretrained(local.base.folder, dtype=torch.float32)
        model = PeftModel.from_pretrained(model, str(adapters[0].folder), adapter_name=adapters[0].name)
        model.load_adapter(str(adapters[1].folder), adapters[1].name)
    model.eval()

    @torch.inference_mode()
    def logits(name: str, tokens: Ids, among: Ids) -> list[float]:
        model.set_adapter(name, inference_mode=True)
        found: list[float] = model(input_ids=torch.tensor([tokens])).logits[0, -1].double()[list(among)].tolist()
        return found

    return logits


def normal(numbers: Sequence[float], temperature: float = 1.0) -> Shares:
    """Log-probabilities at a temperature."""
    total = log(sum(exp(each / temperature) for each in numbers))
    return [each / temperature - total for each in numbers]


def drawn_from(asked: Asked, name: str, decision: Decision, draw: Draw, temperature: float) -> Shares:
    """One draw's distribution, by loops."""
    shares = [normal(asked(name, (*decision.prompt, *node.then), node.among)) for node in draw.nodes]
    return normal([sum(shares[node][place] for node, place in entry) for entry in draw.entries], temperature)


def packed(decisions: Sequence[Decision], prefixes: Sequence[Ids] = ()) -> Batch:
    """Decisions in one batch."""
    return make_batch([pack_decision(each, prefixes, trees=True) for each in decisions], CPU)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("scorer", SCORERS)
def test_a_receipt_s_log_probability_is_computed_again(
    decoder: DecoderBody,
    learning: list[Learning],
    played: Callable[..., list[Decision]],
    scorer: Scorer,
    temperature: float,
) -> None:
    """The ratio of the first step is 1 only where learner and agent mean the same by a probability."""
    decisions = played(scorer, temperature)
    batch = packed(decisions)

    told = distributions(decoder, learning[0], batch, temperature)

    assert told.log_probs.tolist() == pytest.approx([each.log_prob for each in decisions], abs=1e-4)
    menus = [menu for each in decisions for menu in (each.receipt.intents, each.receipt.menu) if menu]
    whole = [share for menu in menus for share in tempered(menu, temperature)]
    assert told.closed[batch.entries_mask].tolist() == pytest.approx(whole, abs=1e-4)
    other = distributions(decoder, learning[0], batch, temperature * 1.3)
    assert other.log_probs.tolist() != pytest.approx([each.log_prob for each in decisions], abs=1e-3)


@pytest.mark.parametrize("grammar", [True, False])
@pytest.mark.parametrize("scorer", ["generate", "json"])
def test_so_is_that_of_a_reply_that_was_written_out(
    decoder: DecoderBody, learning: list[Learning], played: Callable[..., list[Decision]], scorer: Scorer, grammar: bool
) -> None:
    """Token by token, out of the whole vocabulary or out of what a grammar allows."""
    decisions = played(scorer, 0.8, grammar=grammar, most_tokens=24)

    told = distributions(decoder, learning[0], packed(decisions), 0.8)

    assert told.log_probs.tolist() == pytest.approx([each.log_prob for each in decisions], abs=1e-3)


@pytest.mark.parametrize("scorer", SCORERS)
def test_distribution_entropy_and_kl_are_those_of_plain_loops(
    decoder: DecoderBody, learning: list[Learning], played: Callable[..., list[Decision]], asked: Asked, scorer: Scorer
) -> None:
    """Nothing is sampled or approximated: every entry of every draw is summed over."""
    decisions = played(scorer)[:4]
    draws = [(each, draw) for each in decisions for draw in each.draws]
    ours, theirs = ([drawn_from(asked, one.published.name, *each, 0.7) for each in draws] for one in learning)
    batch = packed(decisions)

    told, reference = (distributions(decoder, each, batch, 0.7) for each in learning)

    chosen, spread, apart = ([0.0] * batch.size for _ in range(3))
    for owner, (_, draw), one, two in zip(batch.owner.tolist(), draws, ours, theirs, strict=True):
        chosen[owner] += one[draw.chosen]
        spread[owner] -= sum(exp(p) * p for p in one)
        apart[owner] += sum(exp(p) * (p - q) for p, q in zip(one, two, strict=True))
    assert told.closed[batch.entries_mask].tolist() == pytest.approx([each for one in ours for each in one], abs=1e-4)
    assert told.log_probs.tolist() == pytest.approx(chosen, abs=1e-4)
    assert entropy(told, batch).tolist() == pytest.approx(spread, abs=1e-4)
    assert divergence(told, reference, batch).tolist() == pytest.approx(apart, abs=1e-4)
    assert min(apart) > 1e-3


def test_entropy_and_kl_of_a_draw_from_the_whole_vocabulary_are_exact(
    decoder: DecoderBody, learning: list[Learning], played: Callable[..., list[Decision]], asked: Asked
) -> None:
    """A written reply has draws without entries; these have a place of their own in the sums."""
    (decision, *_) = played("generate", 0.8, grammar=False, most_tokens=24)
    batch = packed([decision])
    everything = tuple(range(len(decoder.head)))
    before = [(*decision.prompt, *draw.nodes[0].then) for draw in decision.draws]
    ours, theirs = (
        [normal(asked(each.published.name, tokens, everything), 0.8) for tokens in before] for each in learning
    )

    told, reference = (distributions(decoder, each, batch, 0.8) for each in learning)

    spread = -sum(exp(p) * p for mine in ours for p in mine)
    apart = sum(exp(p) * (p - q) for one, two in zip(ours, theirs, strict=True) for p, q in zip(one, two, strict=True))
    assert entropy(told, batch).item() == pytest.approx(spread, abs=1e-3)
    assert divergence(told, reference, batch).item() == pytest.approx(apart, abs=1e-3)


@pytest.mark.parametrize("scorer", [*SCORERS, "generate"])
def test_a_policy_is_at_no_distance_from_itself(
    decoder: DecoderBody, learning: list[Learning], played: Callable[..., list[Decision]], scorer: Scorer
) -> None:
    """Nor does the distance pull on it there; from the base, which has no adapter, it is away."""
    batch = packed(played(scorer))
    adapter = learning[0]
    with torch.no_grad():
        itself, base = (distributions(decoder, each, batch, 1.0) for each in (adapter, None))

    told = distributions(decoder, adapter, batch, 1.0)
    distance = divergence(told, itself, batch)
    slopes = torch.autograd.grad(distance.sum(), list(adapter.tensors.values()), allow_unused=True)

    assert distance.tolist() == pytest.approx([0.0] * batch.size, abs=1e-6)
    assert max(float(each.abs().max()) for each in slopes if each is not None) < 1e-5
    assert divergence(told, base, batch).min() > 1e-4


@pytest.mark.parametrize("which", ["every block", "upper block"])
@pytest.mark.parametrize("shared", [True, False], ids=["shared prefix", "whole prompts"])
@pytest.mark.parametrize("scorer", SCORERS)
def test_every_body_gives_the_same_numbers_and_gradients(
    local: Local,
    decoder: DecoderBody,
    learning: list[Learning],
    upper: Learning,
    played: Callable[..., list[Decision]],
    scorer: Scorer,
    shared: bool,
    which: str,
) -> None:
    """The small decoder, transformers, and transformers computing layers again: one policy, one gradient."""
    batch = packed(played(scorer), local.prefixes if shared else ())
    adapter = upper if which == "upper block" else learning[0]
    others = (decoder, ModelBody(local.weights), ModelBody(local.weights, checkpointing=True))

    log_probs, slope = slopes(decoder, adapter, batch)
    found = []
    for body in others:
        local.weights.attached.become("bo@v0")  # as an agent may leave it
        found.append(slopes(body, adapter, batch))

    assert (len(batch.rows.prefix) > 0) == shared
    assert slope.abs().max() > 1e-2
    for other, its_slope in found:
        torch.testing.assert_close(other, log_probs, atol=1e-4, rtol=0)
        torch.testing.assert_close(its_slope, slope, atol=1e-4, rtol=1e-4)
    decoder.release()


def slopes(body: Body, adapter: Learning, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities, and the gradient of a sum of them with unlike weights."""
    found = distributions(body, adapter, batch, 0.7).log_probs
    weights = torch.linspace(-1, 2, batch.size)
    parts = torch.autograd.grad((weights * found).sum(), list(adapter.tensors.values()))
    body.release() if isinstance(body, ModelBody) else None
    return found.detach(), torch.cat([each.flatten() for each in parts])


@pytest.mark.parametrize("checkpointing", [False, True])
def test_a_body_leaves_nothing_in_the_base(
    local: Local, learning: list[Learning], played: Callable[..., list[Decision]], checkpointing: bool
) -> None:
    """Others compute with the same base, and would answer with an adapter that is not theirs."""
    decisions = played("letter")
    batch = packed(decisions)
    body, prompt = ModelBody(local.weights, checkpointing=checkpointing), decisions[0].prompt
    before = said(local, prompt)

    log_probs = distributions(body, learning[0], batch, 1.0).log_probs
    torch.autograd.grad(log_probs.sum(), list(learning[0].tensors.values()))
    during = said(local, prompt)
    body.release()

    assert not torch.equal(during, before)
    assert torch.equal(said(local, prompt), before)


def said(local: Local, prompt: Ids) -> torch.Tensor:
    """What the base itself says comes next."""
    local.weights.attached.become("")
    with torch.inference_mode():
        return local.weights.plain(prompt)
