"""A tiny Qwen3 before its first lesson, with what binding takes already in its weights.

The two layers start out as heads that look a few tokens back and heads that look for what
stands after the same tokens; from a start that was random but for large biases, no binding
had appeared after 400 steps.

Source: of such a pair of heads, Olsson et al., "In-context learning and induction heads", 2022.
"""

from math import exp, pi
from typing import Any

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from hocket.learners.embedded.recipe import Recipe

WIDTH, THETA = 32, 10000.0
"""Of a head, and of its rotations."""


def make_model(recipe: Recipe, vocabulary: int, pad: int, end: int) -> Any:
    """Return an untrained Qwen3ForCausalLM, with heads that look back and heads that look for the like."""
    config = Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=recipe.hidden,
        intermediate_size=recipe.inner,
        num_hidden_layers=2,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        head_dim=WIDTH,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        attention_bias=True,
        initializer_range=0.05,
        pad_token_id=pad,
        eos_token_id=end,
        bos_token_id=None,
    )
    model: Any = Qwen3ForCausalLM(config)
    with torch.no_grad():
        model.model.embed_tokens.weight.normal_(0.0, 0.2)
        first, second = (layer.self_attn for layer in model.model.layers)
        _look_back(first, recipe.heads)
        _look_alike(first, second, recipe.heads)
    return model


def _look_back(attention: Any, heads: int) -> None:
    """Let head number d of a layer, from 1, look d tokens back: its query is its key, turned back d places."""
    half = WIDTH // 2
    speeds = torch.tensor([THETA ** (-each / half) for each in range(half)])
    sizes = torch.tensor([2 * exp(-each / 8) for each in range(half)])
    for head in range(heads):
        phases = 2 * pi * torch.rand(half)
        for part, angles in ((attention.k_proj, phases), (attention.q_proj, phases - (head + 1) * speeds)):
            part.bias[head * WIDTH : (head + 1) * WIDTH] = torch.cat((sizes * angles.cos(), sizes * angles.sin()))
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight.fill_(2.2)


def _look_alike(first: Any, second: Any, heads: int) -> None:
    """Let half of a layer's heads look for the token that follows what stands two back, and copy it.

    Head number d of the layer below writes what it sees into a subspace of its own. What a query
    finds two and three tokens back, a key has one and two back. Dimensions that turn slowly
    compare best over a distance.
    """
    hidden = first.o_proj.weight.shape[0]
    seen = torch.linalg.qr(torch.randn(hidden, WIDTH))[0].T
    places = torch.linalg.qr(torch.randn(hidden, hidden))[0].reshape(hidden, heads, WIDTH).unbind(1)
    slow = torch.tensor([0.1 + 0.9 * (each % (WIDTH // 2) >= WIDTH // 4) for each in range(WIDTH)])[:, None]
    for head, place in enumerate(places):
        own = slice(head * WIDTH, (head + 1) * WIDTH)
        first.v_proj.weight[own] = seen
        first.o_proj.weight[:, own] = 0.4 * place
        if head < heads // 2:
            near, far = (slow * torch.linalg.qr(torch.randn(WIDTH, WIDTH))[0] for _ in range(2))
            second.q_proj.weight[own] = near @ places[1].T + far @ places[2].T
            second.k_proj.weight[own] = near @ places[0].T + far @ places[1].T
            second.v_proj.weight[own] = seen
            second.o_proj.weight[:, own] = 0.4 * seen.T
        else:
            second.q_proj.bias[own].normal_(0.0, 1.0)
            second.k_proj.bias[own].normal_(0.0, 1.0)
    for norm in (second.q_norm, second.k_norm):
        norm.weight.fill_(1.5)
