"""What verl, TRL and CoMLRL make of the same numbers; run by hand, recorded as data.

They are too large for the environment of the tests, and want one of their own (Python 3.11, no GPU); orjson is there
because verl imports it:

    python3.11 -m venv FOLDER
    FOLDER/bin/pip install torch==2.13.0 trl==1.16.0 verl==0.9.1 comlrl==1.4.3 orjson
    FOLDER/bin/python tests/learners/oracles.py tests/data/oracles.json

Every number comes out of a function or a trainer of theirs; nothing of them is copied or replaced. What is ours is the
policy that they are given: one hidden vector a token, and logits = head W vector, so that a menu of tokens is a softmax
and W is all that learns. What is not on a menu has a logit of -10,000. All in double precision, but where
they go down to single by themselves.
"""

import json
import sys
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
import torch

Numbers: TypeAlias = dict[str, Any]
tensor = partial(torch.tensor, dtype=torch.float64)
PACKAGES = ("comlrl", "torch", "transformers", "trl", "verl")
CONTEXTS, CHOICES, END, VOCABULARY, WIDTH = range(4), range(4, 10), 10, 11, 4
FAR = 1e4
CLIP, TEMPERATURE, BETA = 0.2, 0.7, 0.05
COHORTS = [[0.0, 20, 20, 60], [3.0, 3, 3, 3], [10.0, 0], [1.0, 2, 4, 8, 16, 32], [0.5, -1.5, 2.25], [0.0, 0, 1e-6]]


def inputs() -> Numbers:
    """Return what both sides are given."""
    dice = np.random.default_rng(11)

    def some(*shape: int, size: float = 1.0) -> np.ndarray[Any, Any]:
        return np.round(size * dice.standard_normal(shape), 2)

    weights = some(WIDTH, WIDTH, size=0.7)
    menus = {str(token): sorted(dice.choice(CHOICES, 2 + token % 5, replace=False).tolist()) for token in range(END)}
    replies = [[rollout, prompt] for rollout in range(len(COHORTS[0])) for prompt in CONTEXTS]
    for _ in range(2):
        replies = [[*each, int(dice.choice(menus[str(each[-1])]))] for each in replies]
    apart = np.log((0.4, 0.79, 0.9, 1.0, 1.1, 1.21, 1.9, 5.0)).round(6).tolist()
    return {
        "settings": {"clip": CLIP, "temperature": TEMPERATURE, "beta": BETA},
        "cohorts": COHORTS,
        "head": some(VOCABULARY, WIDTH, size=0.7).tolist(),
        "vectors": some(VOCABULARY, WIDTH).tolist(),
        "weights": weights.tolist(),
        "old": np.round(weights + some(WIDTH, WIDTH, size=0.2), 2).tolist(),
        "reference": np.round(weights + some(WIDTH, WIDTH, size=0.4), 2).tolist(),
        "menus": menus,
        "advantages": [-1.25, -0.5, 0.25, 1.5],
        "decisions": [each[:3] for each in replies],
        "replies": replies,
        "pairs": [[-1.0, -1.0 + each, advantage] for each in apart for advantage in (-1.5, 0.0, 0.75)],
    }


def make_policy(given: Numbers, weights: str) -> Any:
    """Return the policy as a model of transformers, with the weights of that name."""
    transformers: Any = import_module("transformers")
    outputs: Any = transformers.modeling_outputs

    class Body(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.vectors = torch.nn.Embedding(VOCABULARY, WIDTH)
            self.barred = torch.nn.Embedding(VOCABULARY, VOCABULARY)
            self.weights = torch.nn.Linear(WIDTH, WIDTH, bias=False)

        def forward(self, input_ids: torch.Tensor, **ignored: Any) -> Any:
            states = torch.cat((self.weights(self.vectors(input_ids)), self.barred(input_ids)), -1)
            return outputs.BaseModelOutput(last_hidden_state=states)

    class Policy(transformers.PreTrainedModel, transformers.GenerationMixin):  # type: ignore[misc]
        base_model_prefix = "body"

        def __init__(self, config: Any) -> None:
            super().__init__(config)
            self.body = Body()
            self.lm_head = torch.nn.Linear(WIDTH + VOCABULARY, VOCABULARY, bias=False)
            self.post_init()

        def get_output_embeddings(self) -> Any:
            return self.lm_head

        def forward(self, input_ids: torch.Tensor, attention_mask: Any = None, **ignored: Any) -> Any:
            return outputs.CausalLMOutput(logits=self.lm_head(self.body(input_ids).last_hidden_state))

    config = transformers.PretrainedConfig(vocab_size=VOCABULARY, eos_token_id=END, pad_token_id=END)
    policy: Any = Policy(config).double().requires_grad_(False)
    barred = torch.zeros(VOCABULARY, VOCABULARY)
    for token, menu in given["menus"].items():
        barred[int(token), [each for each in range(VOCABULARY) if each not in menu]] = 1.0
    policy.body.vectors.weight.copy_(tensor(given["vectors"]))
    policy.body.barred.weight.copy_(barred)
    policy.body.weights.weight.copy_(tensor(given[weights])).requires_grad_()
    policy.lm_head.weight.copy_(torch.cat((tensor(given["head"]), -FAR * torch.eye(VOCABULARY)), 1))
    return policy.eval()


def log_probs(policy: Any, decisions: list[list[int]], temperature: float = 1.0) -> torch.Tensor:
    """Return the log-probability of each token of each reply, shape [S, tokens]."""
    rows = torch.tensor(decisions)[:, 1:]
    shares = (policy(rows[:, :-1]).logits / temperature).log_softmax(-1)
    found: torch.Tensor = shares.gather(-1, rows[:, 1:, None])[..., 0]
    return found


def entries(policy: Any, given: Numbers, temperature: float = 1.0) -> list[tuple[int, int, torch.Tensor]]:
    """Return every entry of every context's menu: context, token, log-probability."""
    shares = (policy(torch.tensor([list(CONTEXTS)])).logits[0] / temperature).log_softmax(-1)
    return [(prompt, token, shares[prompt, token]) for prompt in CONTEXTS for token in given["menus"][str(prompt)]]


def slope(policy: Any, value: torch.Tensor) -> list[list[float]]:
    """Return the gradient of a value by W."""
    (found,) = torch.autograd.grad(value, policy.body.weights.weight)
    return [list(map(float, row)) for row in found]


def of_verl(given: Numbers) -> Numbers:
    """Ask verl's core functions."""
    core: Any = import_module("verl.trainer.ppo.core_algos")
    wide: dict[str, Any] = {"cliprange": CLIP, "clip_ratio_c": 1e9}
    returns = tensor([each for cohort in COHORTS for each in cohort])[:, None]
    groups = np.repeat(np.arange(len(COHORTS)), [len(cohort) for cohort in COHORTS])
    told: Numbers = {}
    for name, scaled in (("advantages", True), ("unscaled", False)):
        found, _ = core.compute_grpo_outcome_advantage(
            returns.clone(), torch.ones_like(returns), groups, norm_adv_by_std_in_grpo=scaled
        )
        told[name] = [found[groups == number, 0].tolist() for number in range(len(COHORTS))]
    pairs, one = tensor(given["pairs"])[..., None, None], torch.ones(1, 1)
    told["losses"] = [core.compute_policy_loss(*each, one, **wide)[0].item() for each in pairs]
    for name, before in (("decisions", "old"), ("at_old", "weights"), ("replies", "weights")):
        decisions = given["replies" if name == "replies" else "decisions"]
        policy = make_policy(given, "weights")
        now, then = log_probs(policy, decisions), log_probs(make_policy(given, before), decisions)
        advantages = tensor([given["advantages"][each[0]] for each in decisions])[:, None].expand_as(now)
        loss, clipped, *_ = core.compute_policy_loss(
            then.detach(), now, advantages, torch.ones_like(now), loss_agg_mode="seq-mean-token-sum", **wide
        )
        told[name] = {"loss": loss.item(), "gradient": slope(policy, loss), "clipped": clipped.item()}
    policy, reference = make_policy(given, "weights"), make_policy(given, "reference")
    for kind in ("k1", "k3", "k3+"):
        values = torch.zeros(len(CONTEXTS), dtype=torch.float64)
        for (prompt, _, mine), (_, _, other) in zip(entries(policy, given), entries(reference, given), strict=True):
            values[prompt] += mine.exp().detach() * core.kl_penalty(mine, other.detach(), kind)
        told[kind] = {"expected": values.tolist(), "gradient": slope(policy, values.mean())}
    return told


def of_trl(given: Numbers) -> Numbers:
    """Ask TRL's GRPO trainer."""
    told: Numbers = {"advantages": [], "unscaled": []}
    with TemporaryDirectory() as folder:
        for cohort in COHORTS:
            for name, scale in (("advantages", "group"), ("unscaled", "none")):
                trainer = grpo(given, folder, returns=cohort, scale_rewards=scale)
                scored = trainer._generate_and_score_completions([{"prompt": "a"} for _ in cohort])
                told[name].append(scored["advantages"].tolist())
        asked = {"decisions": ("old", 0.0), "at_old": ("", 0.0), "replies": ("", 0.0), "with_kl": ("old", BETA)}
        for name, (before, beta) in asked.items():
            trainer, decisions = grpo(given, folder, beta), given["replies" if name == "replies" else "decisions"]
            loss = trainer.compute_loss(trainer.model, batch(given, decisions, before))
            told[name] = {"loss": loss.item(), "gradient": slope(trainer.model, loss)}
        for name in ("bnpo", "dr_grpo"):
            trainer = grpo(given, folder, loss_type=name)
            told[name] = trainer.compute_loss(trainer.model, batch(given, given["decisions"], "old")).item()
        for name, corrected in (("k3", False), ("k3_corrected", True)):
            trainer = grpo(given, folder, 1.0, use_bias_correction_kl=corrected)
            values = torch.zeros(len(CONTEXTS), dtype=torch.float64)
            for prompt, token, mine in entries(trainer.model, given, TEMPERATURE):
                only = batch(given, [[0, prompt, token]], "") | {"advantages": torch.zeros(1)}
                values[prompt] += mine.exp().detach() * trainer.compute_loss(trainer.model, only)
            told[name] = {"expected": values.tolist(), "gradient": slope(trainer.model, values.mean())}
    return told


def grpo(given: Numbers, folder: str, beta: float = 0, *, returns: list[float] | None = None, **settings: Any) -> Any:
    """Return a trainer; beta is set when it is there, or it would look for a reference model on the hub."""
    trl, datasets = import_module("trl"), import_module("datasets")
    size = len(returns or [0, 0])

    def played(prompts: list[str], trainer: Any) -> Numbers:
        one = [[CHOICES[0]]] * len(prompts)
        return {"prompt_ids": [[0]] * len(prompts), "completion_ids": one, "logprobs": [[0.0]] * len(prompts)}

    trainer: Any = trl.GRPOTrainer(
        model=make_policy(given, "weights"),
        reward_funcs=lambda **known: returns,
        args=trl.GRPOConfig(
            output_dir=folder,
            num_generations=size,
            per_device_train_batch_size=size,
            max_completion_length=1,
            epsilon=CLIP,
            temperature=TEMPERATURE,
            use_cpu=True,
            bf16=False,
            **{"loss_type": "grpo"} | settings,
        ),
        train_dataset=datasets.Dataset.from_list([{"prompt": "a"}]),
        processing_class=make_tokenizer(),
        rollout_func=played,
    )
    trainer.model.eval()
    trainer.beta = beta
    return trainer


def make_tokenizer() -> Any:
    """Return a tokenizer of one letter a token."""
    tokenizers, transformers = import_module("tokenizers"), import_module("transformers")
    words = tokenizers.models.WordLevel({letter: place for place, letter in enumerate("abcdefghijk")}, unk_token="k")
    plain = tokenizers.Tokenizer(words)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="k", pad_token="k")


def batch(given: Numbers, decisions: list[list[int]], before: str) -> Numbers:
    """Return decisions as TRL's loss takes them; without weights of before, they are what they are now."""
    rows = torch.tensor(decisions)
    found = {
        "prompt_ids": rows[:, 1:2],
        "prompt_mask": torch.ones_like(rows[:, 1:2]),
        "completion_ids": rows[:, 2:],
        "completion_mask": torch.ones_like(rows[:, 2:]),
        "advantages": tensor(given["advantages"])[rows[:, 0]],
        "ref_per_token_logps": log_probs(make_policy(given, "reference"), decisions, TEMPERATURE).detach(),
    }
    if before:
        found["old_per_token_logps"] = log_probs(make_policy(given, before), decisions, TEMPERATURE).detach()
    return found


def of_comlrl(given: Numbers) -> Numbers:
    """Ask CoMLRL's MAGRPO trainer. Its loss passes over the last token of a reply, so that an end stands there."""
    reinforce: Any = import_module("comlrl.trainers.reinforce.magrpo")
    told: Numbers = {"advantages": []}

    def trainer() -> Any:
        return reinforce.MAGRPOTrainer(
            agents=[make_policy(given, "weights"), make_policy(given, "reference")],
            tokenizer=make_tokenizer(),
            reward_func=lambda **known: [],
            args=reinforce.MAGRPOConfig(num_turns=1, rollout_buffer_size=len(CONTEXTS), agent_devices="cpu"),
        )

    asked, first = trainer(), given["menus"]["0"][0]
    alone = log_probs(asked.agents[0], [[0, 0, first]]).item()
    for cohort in COHORTS:
        told["advantages"].append([])
        for place in range(len(cohort)):
            replies = [torch.tensor([], dtype=torch.long) for _ in cohort]
            replies[place] = torch.tensor([first, END])
            packed = {"prompt_input_ids": torch.tensor([[0]]), "completion_input_ids": [replies]}
            loss = asked._compute_loss_with_gradients(asked.agents[0], packed, cohort).item()
            told["advantages"][-1].append(-loss / alone)
    for name in ("decisions", "replies"):
        asked = trainer()
        asked._update_from_samples(0, [sample(reinforce, given[name], prompt) for prompt in CONTEXTS])
        told[name] = asked.agents[0].body.weights.weight.grad.tolist()
    return told


def sample(reinforce: Any, decisions: list[list[int]], prompt: int) -> Any:
    """Return what all rollouts of the first cohort decided in one context."""
    mine = [each for each in decisions if each[1] == prompt]
    replies = [torch.tensor([*each[2:], END]) for each in mine]
    return reinforce.NodeSample(
        agent_idx=0,
        turn_idx=0,
        completions_data={"prompt_input_ids": torch.tensor([[prompt]]), "completion_input_ids": [replies]},
        returns=[COHORTS[0][each[0]] for each in mine],
        node_mean_reward=0.0,
        node_mean_return=0.0,
        node_env_step=0,
    )


def main(path: Path) -> None:
    """Write the record."""
    given = inputs()
    found: Numbers = {"given": given, "versions": {name: version(name) for name in PACKAGES}}
    found |= {"verl": of_verl(given), "trl": of_trl(given), "comlrl": of_comlrl(given)}
    path.write_text(json.dumps(found, sort_keys=True, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
