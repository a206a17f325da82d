"""Advantage, loss and gradient against verl, TRL and CoMLRL, as `oracles.py` recorded them."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
import torch

from hocket.agents.adapter import Adapter
from hocket.agents.fresh import write_adapter
from hocket.learners.adapter import Learning
from hocket.learners.advantage import Array, episode_advantage
from hocket.learners.batch import Batch, Item, Rows, make_batch, pack_decision
from hocket.learners.config import Optimiser, UpdatePart
from hocket.learners.decision import Decision, Draw, Node
from hocket.learners.magrpo import Sample, surrogate, update
from hocket.learners.network import Told, distributions, divergence
from hocket.runtime.events import Receipt
from hocket.runtime.seed import Streams

RECORD: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "oracles.json").read_text("utf-8"))
GIVEN, VERL, TRL, COMLRL = (RECORD[name] for name in ("given", "verl", "trl", "comlrl"))
CLIP, TEMPERATURE, BETA = (GIVEN["settings"][name] for name in ("clip", "temperature", "beta"))
CLOSE = 1e-6
Policies: TypeAlias = dict[str, Learning]
CONVENTIONS: dict[str, dict[str, Any]] = {
    "verl": {"spread": "unbiased", "epsilon": 1e-6},
    "trl": {"spread": "unbiased", "epsilon": 1e-4},
    "comlrl": {"spread": "population", "floor": 1e-6},
}


class Table:
    """The recorded policy as a body: one vector a token, times what learns; the rest is hocket's own."""

    softcap, trees, base_digest, device = None, True, "", torch.device("cpu")
    head = torch.tensor(GIVEN["head"])
    vectors = torch.tensor(GIVEN["vectors"])

    def states(self, adapter: Learning | None, rows: Rows) -> torch.Tensor:
        """Return W times the vector of the token at each asked place."""
        assert adapter is not None
        down, up = adapter.change("weights")
        found: torch.Tensor = self.vectors[rows.ids.gather(1, rows.asked)] @ (adapter.scale * up @ down).T
        return found

    def release(self) -> None:
        """Do nothing: nothing is kept."""


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    """What learns, what played and what is held on to: A is the identity, and B is W."""
    found = {}
    config = json.dumps({"r": 4, "lora_alpha": 4})
    for name in ("weights", "old", "reference"):
        parts = {"lora_A": np.eye(4, dtype=np.float32), "lora_B": np.array(GIVEN[name], dtype=np.float32)}
        named = {f"base_model.model.weights.{part}.weight": each for part, each in parts.items()}
        write_adapter(tmp_path / name, config, named)
        adapter = Adapter(f"{name}@v0", tmp_path / name, "", 4, False, False, False, None)
        found[name] = Learning(adapter, torch.device("cpu"), Optimiser(learning_rate=1e-3))
    return found


def read(row: list[int]) -> Item:
    """Make a decision of a recorded reply: rollout, prompt, and one token or two."""
    _, prompt, *reply = row
    menus = [tuple(GIVEN["menus"][str(token)]) for token in (prompt, *reply)[: len(reply)]]
    draws = tuple(
        Draw((Node(tuple(reply[:place]), menu),), tuple(((0, each),) for each in range(len(menu))), menu.index(token))
        for place, (menu, token) in enumerate(zip(menus, reply, strict=True))
    )
    decision = Decision(0, 0, 0, "", (prompt,), draws, 0.0, Receipt(log_prob=0.0))
    return pack_decision(decision, [], trees=True)


def whole_menus() -> list[Item]:
    """One decision in each context, whichever."""
    return [read([0, prompt, GIVEN["menus"][str(prompt)][0]]) for prompt in range(4)]


def batched(items: list[Item]) -> Batch:
    """Put decisions together."""
    return make_batch(items, torch.device("cpu"))


def told(policy: Learning, batch: Batch, temperature: float = 1.0) -> Told:
    """Compute a policy's distributions, as training does."""
    return distributions(Table(), policy, batch, temperature)


def loss_of(
    policies: Policies, rows: list[list[int]], before: str, temperature: float = 1.0, advantages: Array | None = None
) -> torch.Tensor:
    """Compute the clipped loss, a mean over decisions, as training does."""
    batch = batched([read(row) for row in rows])
    by_rollout = torch.tensor(GIVEN["advantages"] if advantages is None else advantages, dtype=torch.float32)
    old = told(policies[before], batch, temperature).log_probs.detach()
    now = told(policies["weights"], batch, temperature).log_probs
    return -surrogate(now, old, by_rollout[[row[0] for row in rows]], CLIP).mean()


def slope(policies: Policies, value: torch.Tensor) -> list[list[float]]:
    """Return the gradient by W."""
    (found,) = torch.autograd.grad(value, policies["weights"].change("weights")[1])
    return [list(map(float, row)) for row in found]


def is_close(one: Any, other: Any) -> bool:
    """Whether two agree within the tolerance."""
    return bool(np.allclose(np.array(one), np.array(other), rtol=0, atol=CLOSE))


@pytest.mark.parametrize("name", CONVENTIONS)
def test_advantages_are_those_of(name: str) -> None:
    """Each with its own spread, epsilon and floor, which are settings here; with another's they differ."""
    cohorts = [np.array(cohort) for cohort in GIVEN["cohorts"]]

    found = {
        convention: [episode_advantage(cohort, **settings) for cohort in cohorts]
        for convention, settings in CONVENTIONS.items()
    }

    agree = {
        convention
        for convention, mine in found.items()
        if all(is_close(*pair) for pair in zip(mine, RECORD[name]["advantages"], strict=True))
    }
    assert agree == {name}


@pytest.mark.parametrize("name", ["verl", "trl"])
def test_without_a_spread_they_are_what_is_left_over_a_high_floor(name: str) -> None:
    """Both can leave the division out; a floor above every spread divides all by one number."""
    for cohort, theirs in zip(GIVEN["cohorts"], RECORD[name]["unscaled"], strict=True):
        assert is_close(1e3 * episode_advantage(np.array(cohort), floor=1e3), theirs)


def test_the_clipped_loss_of_a_decision_is_verl_s() -> None:
    """Ratios on both sides of both bounds, with advantages of both signs; its third bound is out of the way."""
    old, now, advantages = torch.tensor(GIVEN["pairs"], dtype=torch.float64).T

    found = -surrogate(now, old, advantages, CLIP)

    assert is_close(found.tolist(), VERL["losses"])
    assert not is_close((-surrogate(now, old, advantages, CLIP + 0.1)).tolist(), VERL["losses"])


@pytest.mark.parametrize(
    ("name", "rows", "before"),
    [("decisions", "decisions", "old"), ("at_old", "decisions", "weights"), ("replies", "replies", "weights")],
)
def test_loss_and_gradient_are_verl_s(policies: Policies, name: str, rows: str, before: str) -> None:
    """Half of the decisions are clipped, or none; of a reply in two draws only where nothing was learned yet."""
    loss = loss_of(policies, GIVEN[rows], before)

    assert is_close(loss.item(), VERL[name]["loss"])
    assert is_close(slope(policies, loss), VERL[name]["gradient"])
    assert (VERL[name]["clipped"] > 0.3) == (before == "old")


@pytest.mark.parametrize(
    ("name", "rows", "before", "tokens"),
    [("decisions", "decisions", "old", 1), ("at_old", "decisions", "weights", 1), ("replies", "replies", "weights", 2)],
)
def test_loss_and_gradient_are_trl_s(policies: Policies, name: str, rows: str, before: str, tokens: int) -> None:
    """At another temperature than 1; it takes the mean over the tokens of a reply where a decision is their sum."""
    loss = loss_of(policies, GIVEN[rows], before, TEMPERATURE)

    assert is_close(loss.item(), TRL[name]["loss"])
    assert is_close(slope(policies, loss), tokens * np.array(TRL[name]["gradient"]))
    assert not is_close(slope(policies, loss_of(policies, GIVEN[rows], before)), TRL[name]["gradient"])


def test_trl_s_other_means_are_the_same_for_one_token() -> None:
    """So that nothing hangs on which of them is the oracle."""
    assert is_close([TRL["bnpo"], TRL["dr_grpo"]], TRL["decisions"]["loss"])


@pytest.mark.parametrize("rows", ["decisions", "replies"])
def test_the_first_gradient_is_comlrl_s(policies: Policies, rows: str) -> None:
    """Where the policy is the one that played, the ratio's gradient is that of the log-probability."""
    advantages = episode_advantage(np.array(GIVEN["cohorts"][0]), **CONVENTIONS["comlrl"])

    found = slope(policies, loss_of(policies, GIVEN[rows], "weights", advantages=advantages))

    assert is_close(found, COMLRL[rows])
    assert not is_close(slope(policies, loss_of(policies, GIVEN[rows], "old", advantages=advantages)), COMLRL[rows])


@pytest.mark.parametrize(
    ("record", "temperature"), [(VERL["k3+"], 1.0), (TRL["k3_corrected"], TEMPERATURE)], ids=["verl", "trl"]
)
def test_kl_and_gradient_are_those_of_a_corrected_estimator(
    policies: Policies, record: dict[str, Any], temperature: float
) -> None:
    """The normalisation: an estimator summed over the menu, weighted by the policy, is what it is on average."""
    batch = batched(whole_menus())
    mine, reference = (told(policies[name], batch, temperature) for name in ("weights", "reference"))

    found = divergence(mine, reference, batch)

    assert is_close(found.tolist(), record["expected"])
    assert is_close(slope(policies, found.mean()), record["gradient"])


@pytest.mark.parametrize(("record", "temperature"), [(VERL["k3"], 1.0), (TRL["k3"], TEMPERATURE)], ids=["verl", "trl"])
def test_plain_k3_has_the_kl_s_value_and_another_s_gradient(
    policies: Policies, record: dict[str, Any], temperature: float
) -> None:
    """What is gone down with it is KL(reference || policy), so that only its value is an oracle of ours."""
    batch = batched(whole_menus())
    mine, reference = (told(policies[name], batch, temperature) for name in ("weights", "reference"))

    found, turned = divergence(mine, reference, batch), divergence(reference, mine, batch)

    assert is_close(found.tolist(), record["expected"])
    assert is_close(slope(policies, turned.mean()), record["gradient"])


def test_k1_has_the_kl_s_value_and_no_gradient(policies: Policies) -> None:
    """On average, what it pulls one way it pulls the other."""
    batch = batched(whole_menus())

    found = divergence(told(policies["weights"], batch), told(policies["reference"], batch), batch)

    assert is_close(found.tolist(), VERL["k1"]["expected"])
    assert is_close(VERL["k1"]["gradient"], np.zeros((4, 4)))
    assert not is_close(slope(policies, found.mean()), np.zeros((4, 4)))


def test_trl_s_loss_with_a_kl_is_ours_with_k3_of_what_was_drawn(policies: Policies) -> None:
    """Weight and sign of the KL are the same; its estimator is weighted by the ratio."""
    batch = batched([read(row) for row in GIVEN["decisions"]])
    mine, old, reference = (told(policies[name], batch, TEMPERATURE).log_probs for name in policies)
    apart = reference.detach() - mine
    estimated = (mine - old.detach()).exp() * (apart.exp() - apart - 1)

    loss = loss_of(policies, GIVEN["decisions"], "old", TEMPERATURE) + BETA * estimated.mean()

    assert is_close(loss.item(), TRL["with_kl"]["loss"])
    assert is_close(slope(policies, loss), TRL["with_kl"]["gradient"])


@pytest.mark.parametrize("rows", [3, 64])
@pytest.mark.parametrize("kl", [0.0, BETA])
def test_an_update_goes_down_verl_s_loss_and_kl(policies: Policies, kl: float, rows: int) -> None:
    """The whole step at once, in one pass or several; the norm is that of A's gradient and B's, with A the identity."""
    items = [read(row) for row in GIVEN["decisions"]]
    old = told(policies["old"], batched(items)).log_probs.tolist()
    advantages = [GIVEN["advantages"][row[0]] for row in GIVEN["decisions"]]
    samples = [Sample(item, advantage, 1.0, each) for item, advantage, each in zip(items, advantages, old, strict=True)]
    settings = UpdatePart(epochs=1, clip=CLIP, gradient_clip=1e9, kl=kl, rows=rows)
    order = Streams(0).stream("minibatches", 0)

    updated = update(Table(), policies["weights"], policies["reference"], samples, settings, 1.0, order, 0)

    gradient = np.array(VERL["decisions"]["gradient"]) + kl * np.array(VERL["k3+"]["gradient"])
    through = np.array(GIVEN["weights"]).T @ gradient
    assert is_close(updated.loss, VERL["decisions"]["loss"] + kl * np.mean(VERL["k3+"]["expected"]))
    assert is_close(updated.kl, np.mean(VERL["k3+"]["expected"]) if kl else 0.0)
    assert is_close(updated.gradient, np.sqrt((gradient**2).sum() + (through**2).sum()))
