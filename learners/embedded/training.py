"""The steps of a training: losses on replies and prompts, and what is made of them."""

from typing import Any

import structlog
import torch
from torch.nn.functional import linear, log_softmax

from hocket.learners.embedded.lessons import Lessons
from hocket.learners.embedded.prompts import Text
from hocket.learners.embedded.recipe import Recipe

PROMPT_WEIGHT = 0.1
"""Of the loss on the prompt, beside that on replies."""

_log = structlog.get_logger(__name__)


def train(model: Any, recipe: Recipe, lessons: Lessons) -> None:
    """Take every step of the recipe."""
    weights = [each for each in model.parameters() if each.dim() > 1]
    others = [each for each in model.parameters() if each.dim() < 2]
    groups = [{"params": weights, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.98))
    for step in range(recipe.steps):
        rate = recipe.rate * min(1.0, (step + 1) / 60) * max(0.03, 1 - step / recipe.steps)
        for group in optimiser.param_groups:
            group["lr"] = rate
        parts = losses(model, lessons.texts(step))
        loss = parts["letter"] + parts["reply"] + PROMPT_WEIGHT * parts["prompt"]
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        if step % 50 == 0 or step == recipe.steps - 1:
            _log.info("step", step=step, **{name: round(part.item(), 4) for name, part in parts.items()})


def losses(model: Any, texts: list[Text]) -> dict[str, torch.Tensor]:
    """Return losses in nats: of letters that an intent decides, of all else in replies, and of prompts.

    Those of replies are divergences from what could follow, so that no draw of an intent is learned.
    """
    length = max(len(text.ids) for text in texts)
    ids = torch.tensor([text.ids + [0] * (length - len(text.ids)) for text in texts])
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
    table = model.lm_head.weight
    found = [
        (row, place, token, chance, place in text.letters)
        for row, text in enumerate(texts)
        for place, token, chance in text.targets
    ]
    rows, places, tokens = (torch.tensor([each[part] for each in found]) for part in range(3))
    chances, bound = torch.tensor([each[3] for each in found]), torch.tensor([each[4] for each in found])
    # A place is worked out once for each token that may follow: a few times too often, and simple.
    logits = linear(hidden[rows, places], table)
    costs = chances * (chances.log() - log_softmax(logits, -1).gather(-1, tokens[:, None])[:, 0])
    prompts = [(row, place) for row, text in enumerate(texts[::4]) for place in range(text.prompt - 1)]
    at = torch.tensor([4 * row for row, _ in prompts]), torch.tensor([place for _, place in prompts])
    said = ids[at[0], at[1] + 1]
    prompt = -log_softmax(linear(hidden[at], table), -1).gather(-1, said[:, None]).mean()
    letters, rest = chances[bound].sum().clamp(min=1), chances[~bound].sum().clamp(min=1)
    return {"letter": costs[bound].sum() / letters, "reply": costs[~bound].sum() / rest, "prompt": prompt}
