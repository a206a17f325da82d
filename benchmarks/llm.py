"""Decisions a second of a language model: scored, and generated as one would.

One model, one set of prompts (guarded menus of asymmetric_advantages, random play), one
process; the sides take turns. Ours is the scorer; theirs is transformers' `generate` of at
most 24 tokens on left-padded prompts, decoded and parsed, and the same behind the keys of
the prefix that all prompts share. Then what seven adapters add to the memory of a base.
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import torch

from hocket.agents.adapter import read_adapter
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.grammar import parse
from hocket.agents.local import Local
from hocket.agents.named_base import find_base
from hocket.agents.offers import random_offers
from hocket.agents.prompt import make_prompt, system_message
from hocket.agents.scoring import Case, decided, score
from hocket.agents.style import Scorer, Style
from hocket.games import registry
from hocket.learners.own_guards import own_guards
from hocket.runtime.policy import Offer

THREADS = 2
MOST_TOKENS = 24
BATCHES = (1, 2, 7, 16)
EMBEDDING = "model.embed_tokens.weight"
Side = Callable[[Sequence[Offer]], int]


def decisions() -> list[Offer]:
    game = registry.make("overcooked:asymmetric_advantages")
    library = registry.library(game)
    offers = random_offers(game, library, seed=5, steps=400, guards=own_guards(game, library).guards)
    return [offer for offer in offers if len(offer.menu) > 1][:64]


def scoring(backend: Local, style: Style, scorer: Scorer) -> Side:
    """Ours: the prompts of `style`, scored by `scorer`."""
    chosen = msgspec.structs.replace(style, scorer=scorer)

    def case(offer: Offer) -> Case:
        prompt = backend.tokens.prompt(make_prompt(offer, style))
        return Case("", prompt, offer.menu, offer.words.stages, chosen, backend.tokens, offer.draw_again, every=True)

    def side(offers: Sequence[Offer]) -> int:
        return len(decided([score(case(offer)) for offer in offers], backend.score, backend.write))

    return side


def generating(backend: Local, style: Style, *, cached: bool) -> Side:
    """Theirs: `generate` on the whole prompts, or behind the keys of what they share."""
    model, tokenizer = backend.weights.model, backend.tokens.tokenizer
    tokenizer.padding_side = "left"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    prefix = backend.prefixes[0]
    keys = backend.weights.keys("", prefix)

    def side(offers: Sequence[Offer]) -> int:
        prompts = [make_prompt(offer, style) for offer in offers]
        messages = [
            [{"role": "system", "content": each.system}, {"role": "user", "content": each.user}] for each in prompts
        ]
        texts = [tokenizer.apply_chat_template(each, tokenize=False, add_generation_prompt=True) for each in messages]
        given: dict[str, Any] = dict(
            tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False, return_token_type_ids=False)
        )
        if cached:
            given = behind(len(prefix), given) | {"cache": backend.weights.cache(keys, len(offers))}
        width = given["input_ids"].shape[1]
        with torch.inference_mode():
            out = model.generate(
                **given, max_new_tokens=MOST_TOKENS, do_sample=True, pad_token_id=tokenizer.pad_token_id
            )
        for offer, row in zip(offers, out, strict=True):
            parse(tokenizer.decode(row[width:], skip_special_tokens=True), offer.menu, style)
        return len(offers)

    return side


def behind(size: int, given: dict[str, Any]) -> dict[str, Any]:
    """Move the padding of a batch from before the shared prefix to behind it."""
    pairs = zip(given["input_ids"], given["attention_mask"], strict=True)
    rows = [row[mask.bool()] for row, mask in pairs]
    longest = max(map(len, rows))
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for line, seen, row in zip(ids, mask, rows, strict=True):
        line[:size], seen[:size] = row[:size], 1
        rest = row[size:]
        line[longest - len(rest) :], seen[longest - len(rest) :] = rest, 1
    return {"input_ids": ids, "attention_mask": mask}


def rate(side: Side, offers: Sequence[Offer], batch: int, count: int) -> float:
    """Decisions a second over `count` batches."""
    began = time.perf_counter()
    done = sum(side([offers[(start * batch + each) % len(offers)] for each in range(batch)]) for start in range(count))
    return done / (time.perf_counter() - began)


def matrix_rate(dtype: torch.dtype, width: int) -> float:
    """Floating point operations a second of a large product in a number format, at its best of 20."""
    one, other = torch.randn(512, width).to(dtype), torch.randn(width, 4 * width).to(dtype)
    seconds = []
    for _ in range(20):
        began = time.perf_counter()
        torch.matmul(one, other)
        seconds.append(time.perf_counter() - began)
    return 2 * 512 * width * 4 * width / min(seconds)


def bound(base: FrozenBase, dtype: torch.dtype, tokens: float) -> float:
    """Decisions a second if the body's own products, two operations a weight and token, were all there is."""
    size, width = base.shapes[EMBEDDING]
    return matrix_rate(dtype, width) / (2 * (base.parameters - size * width) * tokens)


def bench(base: FrozenBase, scorer: Scorer, style: Style, bars: dict[int, float], turns: int, seconds: float) -> bool:
    offers, held = decisions(), True
    for batch in BATCHES:
        backend = Local(base, threads=THREADS, rows=batch)
        backend.prefixes.append(backend.tokens.prefix(system_message(offers[0].words, style)))
        sides = [scoring(backend, style, scorer), *(generating(backend, style, cached=each) for each in (False, True))]
        counts = [max(1, round(seconds * rate(side, offers, batch, 1) / batch)) for side in sides]
        pairs = list(zip(sides, counts, strict=True))
        runs = [[rate(side, offers, batch, count) for side, count in pairs] for _ in range(turns)]
        ours, plain, cached = (median(run[place] for run in runs) for place in range(3))
        ratio = median(run[0] / run[1] for run in runs)
        prompt = median(len(backend.tokens.prompt(make_prompt(offer, style))) for offer in offers)
        shared = len(backend.prefixes[0])
        line = {
            "bench": "llm_scoring_vs_generate",
            "model": base.name,
            "scorer": scorer,
            "batch": batch,
            "prompt_tokens": prompt,
            "of_them_shared": shared,
            "scored_per_s": round(ours, 1),
            "generate_per_s": round(plain, 1),
            "generate_behind_prefix_per_s": round(cached, 1),
            "ratio": round(ratio, 2),
            "ratio_behind_prefix": round(median(run[0] / run[2] for run in runs), 2),
            "share_of_flops_bound": round(ours / bound(base, backend.weights.head.dtype, prompt - shared), 2),
            "bar": bars.get(batch),
        }
        print(json.dumps(line), flush=True)
        held = held and ratio >= bars.get(batch, 0.0)
    return held


def memory(base: FrozenBase) -> None:
    backend = Local(base)
    weights = sum(each.numel() * each.element_size() for each in backend.weights.model.parameters())
    before = resident()
    with tempfile.TemporaryDirectory() as folder:
        for seat in range(7):
            place = Path(folder) / f"seat{seat}@v0"
            fresh_adapter(place, base, rank=16, seed=seat, spread=0.01)
            backend.load(read_adapter(place, base))
    line = {
        "bench": "llm_memory",
        "model": base.name,
        "base_mib": round(weights / 2**20, 1),
        "seven_adapters_add_mib": round((resident() - before) / 2**20, 1),
        "peak_rss_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10),
    }
    print(json.dumps(line), flush=True)


def resident() -> int:
    """Memory of this process now, in bytes."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()


def main() -> int:
    smollm2, embedded = find_base("smollm2"), find_base("")
    memory(smollm2)
    own = embedded.style
    held = bench(embedded, own.scorer, Style(own.profile, "generate"), {1: 2.5}, turns=5, seconds=1.0)
    held = bench(smollm2, "letter", Style(scorer="generate"), {1: 5.0, 16: 2.5}, turns=3, seconds=4.0) and held
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
