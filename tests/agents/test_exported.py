"""Seats without torch: their numbers are those of the base that torch computes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import exp
from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import save_file

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.canary import INDISTINGUISHABLE, KNOWN, write_canary
from hocket.agents.exported import Exported
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase, read_base
from hocket.agents.grammar import replies
from hocket.agents.llm import LocalModel
from hocket.agents.local import Local
from hocket.agents.models import open_backend
from hocket.agents.offers import random_offers
from hocket.agents.prompt import make_prompt, system_message
from hocket.agents.query import Query, Writing, Written
from hocket.agents.scoring import Case, decided, score
from hocket.agents.seal import seal
from hocket.agents.style import Scorer, Style
from hocket.agents.tree import Ids
from hocket.games import registry
from hocket.replays.trace import read_trace
from hocket.runtime.errors import AdapterError, AdapterMismatchError, MissingExtraError, ModelError, PromptError
from hocket.runtime.events import OptionChosen
from hocket.runtime.policy import Offer

SCORERS: tuple[Scorer, ...] = ("two_line", "text", "letter")
GAMES = ("overcooked:asymmetric_advantages", "overcooked:forced_coordination", "pantry")


@pytest.fixture(scope="module")
def exported(embedded: FrozenBase, adapters: list[Adapter]) -> Exported:
    """The embedded base with all adapters."""
    backend = Exported(embedded)
    for adapter in adapters:
        backend.load(adapter)
    return backend


@pytest.fixture(scope="module")
def local(embedded: FrozenBase, adapters: list[Adapter]) -> Local:
    """The same by torch and peft."""
    backend = Local(embedded)
    for adapter in adapters:
        backend.load(adapter)
    return backend


def asked(backend: Exported, offers: Sequence[Offer], names: Sequence[str]) -> list[Query]:
    """What scorers ask of some offers, each put to every adapter of that name."""
    queries: list[Query] = []

    def told(asked: list[Query]) -> list[tuple[float, ...]]:
        queries.extend(asked)
        return [tuple(-1.0 for _ in query.among) for query in asked]

    def written(asked: list[Writing]) -> list[Written]:
        assert not asked
        return []

    for place, offer in enumerate(offers):
        style = Style("brief", SCORERS[place % len(SCORERS)])
        prompt = backend.tokens.prompt(make_prompt(offer, style))
        for name in names:
            case = Case(
                name, prompt, offer.menu, offer.words.stages, style, backend.tokens, offer.draw_again, every=True
            )
            decided([score(case)], told, written)
    return queries


def test_answers_are_those_of_torch(
    exported: Exported, local: Local, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """Hundreds of real questions to base and adapters: no probability is off by 1e-5.

    Nor is a log-probability above -7; below, where float32 itself gives out, none is off by half of what a canary
    allows. There the numbers of torch are as far from those in double precision as ours.
    """
    offers = [offer for game in GAMES for offer in offered(game)[:15]]
    local.prefixes[:] = [local.tokens.prefix(system_message(offers[0].words, Style("brief", "two_line")))]
    queries = asked(exported, offers, ["", *(adapter.name for adapter in adapters[:3])])

    pairs = [
        pair
        for ours, theirs in zip(exported.score(queries), local.score(queries), strict=True)
        for pair in zip(ours, theirs, strict=True)
    ]

    assert len(queries) > 500
    assert max(abs(exp(one) - exp(other)) for one, other in pairs) < 1e-5
    assert max(abs(one - other) for one, other in pairs if one > -7) < 2e-5
    assert max(abs(one - other) for one, other in pairs) < 5e-5


def test_an_answer_does_not_depend_on_what_else_was_asked(
    exported: Exported, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """One prompt at a time, all at once, backwards: the same bits."""
    queries = asked(exported, offered()[:6], ["", adapters[0].name, adapters[1].name])
    starts = [place for place, (one, other) in enumerate(pairwise(queries), 1) if _whose(one) != _whose(other)]
    groups = [queries[start:end] for start, end in pairwise([0, *starts, len(queries)])]

    together = exported.score(queries)
    alone = [answer for group in groups for answer in exported.score(group)]
    backwards = [answer for group in reversed(groups) for answer in exported.score(group)]

    assert len(groups) == 18
    assert alone == together
    assert sorted(backwards) == sorted(together)


def _whose(query: Query) -> tuple[str, Ids]:
    return query.adapter, query.prompt


def test_adapters_part_from_the_base_and_a_fresh_one_does_not(
    exported: Exported, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """What is compared above would prove nothing if every adapter answered alike."""
    names = ["", *(adapter.name for adapter in adapters)]
    prompt = exported.tokens.prompt(make_prompt(offered()[0], Style("brief", "text")))

    base, *answers = exported.score([Query(name, prompt, (), (4, 5, 6, 7)) for name in names])

    assert all(abs(one - other) > 0.001 for answer in answers[:3] for one, other in zip(answer, base, strict=True))
    assert answers[3] == base


def test_what_is_written_is_what_torch_writes(
    exported: Exported, local: Local, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """Token by token: the likeliest, drawn ones, and under a grammar; with as many draws."""
    writings = []
    for place, offer in enumerate(offered(GAMES[0])[:8]):
        style = Style("brief", "generate", grammar=True)
        prompt = exported.tokens.prompt(make_prompt(offer, style))
        allowed = tuple(exported.tokens.ended(text) for text in replies(offer.menu, offer.words.stages, style))
        name = adapters[place % 3].name
        writings += [
            Writing(name, prompt, "\n", 12, 0.0, offer.draw_again),
            Writing("", prompt, "", 12, 1.0, offer.draw_again),
            Writing(name, prompt, "", 48, 2.0, offer.draw_again, allowed),
        ]

    ours, theirs = exported.write(writings), local.write(writings)

    assert [(each.ids, each.draws) for each in ours] == [(each.ids, each.draws) for each in theirs]
    assert [each.log_prob for each in ours] == pytest.approx([each.log_prob for each in theirs], abs=1e-4)


def test_who_is_not_there_is_refused(exported: Exported, embedded: FrozenBase, adapters: list[Adapter]) -> None:
    """An adapter that is not loaded, a name that stands for other weights, a prompt beyond the context."""
    long = tuple([3] * embedded.context)
    other = msgspec.structs.replace(adapters[1], name=adapters[0].name)

    with pytest.raises(AdapterError, match="adapter ada@v1: is not loaded"):
        exported.score([Query("ada@v1", (3, 4), (), (5, 6))])
    with pytest.raises(AdapterError, match="seat0@v1: stands for other weights already"):
        exported.load(other)
    with pytest.raises(PromptError, match=f"a prompt of {embedded.context + 1} tokens, but embedded has a context of"):
        exported.score([Query("", long, (4,), (5, 6))])
    with pytest.raises(PromptError, match="has a context of"):
        exported.write([Writing("", long, "", 8, 0.0, lambda place: 0.5)])


def test_a_base_of_another_kind_is_refused_in_a_sentence(embedded: FrozenBase, tmp_path: Path) -> None:
    """One layer's norm more, as in a model that has the same configuration: the graph would leave it out."""
    shutil.copytree(embedded.folder, tmp_path / "base", ignore=shutil.ignore_patterns("canary.json"))
    path = tmp_path / "base" / "model.safetensors"
    save_file(_floats(embedded) | {"model.layers.0.post_norm.weight": np.ones(128, dtype=np.float32)}, path)
    other = read_base(tmp_path / "base", "base")

    with pytest.raises(ModelError, match="is not of the embedded base's architecture, and --backend onnx computes no"):
        Exported(other)


def _floats(base: FrozenBase) -> dict[str, np.ndarray]:
    from hocket.agents.arrays import read_arrays

    return dict(read_arrays([base.folder / "model.safetensors"], "embedded"))


def test_a_base_that_does_not_answer_as_its_canary_is_refused(embedded: FrozenBase) -> None:
    """There is no second computation to hold it against here; the canary is one."""
    assert embedded.canary is not None
    [first, *others] = embedded.canary.probes
    wrong = msgspec.structs.replace(first, base=first.base[::-1], adapter=first.adapter[::-1])
    other = msgspec.structs.replace(embedded, canary=msgspec.structs.replace(embedded.canary, probes=(wrong, *others)))

    with pytest.raises(ModelError, match=r"does not answer as its canary\.json says"):
        Exported(other)


def test_canaries_are_those_that_torch_measured(embedded: FrozenBase, local: Local, tmp_path: Path) -> None:
    """Sealed there, heard here: a trained one is known, a fresh one is not told apart, a planted one is refused."""
    for name, spread in (("old@v3", 0.05), ("young@v0", 0.0)):
        fresh_adapter(tmp_path / name, embedded, rank=4, seed=1, spread=spread)
        write_canary(tmp_path / name, seal(local, read_adapter(tmp_path / name, embedded)))
    old, new = (read_adapter(tmp_path / name, embedded) for name in ("old@v3", "young@v0"))
    world = registry.make("pantry")
    model = LocalModel(Exported(embedded), world.words, Style("brief", "text"))
    model.seat(0, old)
    model.seat(1, new)
    offers = random_offers(world, registry.library(world), seed=1, steps=9)

    choices = model.choose_many([next(each for each in offers if each.seat == seat) for seat in (0, 1)])

    checks = [getattr(choice, "receipt").check for choice in choices]  # noqa: B009
    assert checks == [KNOWN, INDISTINGUISHABLE]
    assert model.mark(0).backend == "onnx"
    assert model.mark(0).versions.keys() == {"onnxruntime"}
    planted = msgspec.structs.replace(new, name="planted@v1", canary=old.canary)
    with pytest.raises(AdapterMismatchError, match="planted@v1: its weights do not answer as its canary"):
        model.seat(0, planted)


WITHOUT = """
import sys
sys.modules |= dict.fromkeys(sys.argv[1].split())
sys.argv = ["hocket", *sys.argv[2:]]
from hocket.cli import main
main()
"""


def run(folder: Path, words: str, *, without: str = "", seed: str = "0", threads: str = "1") -> str:
    """Run a command where some packages cannot be imported; return what it printed."""
    environment = {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads, "PATH": "", "HOME": str(folder)}
    command = [sys.executable, "-P", "-c", WITHOUT, without, *words.split()]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, env=os.environ | environment)
    return done.stdout


def choices(path: Path) -> list[tuple[int, int, int]]:
    """What was chosen in a trace: seat, decision, place on the menu."""
    chosen = [event for event in read_trace(path).events if isinstance(event, OptionChosen)]
    return [(event.seat, event.decision, event.index) for event in chosen]


def test_a_game_is_played_where_torch_is_not_installed(tmp_path: Path) -> None:
    """The same command, the same choices; and the same bytes in any process without it."""
    lacking = "torch transformers peft"
    play = "play pantry --seat 0=llm#ada@v1 --seat 1=llm --seed 4 --steps 30 --quiet --trace"

    told = run(tmp_path, "adapter new ada@v1 --rank 4 --spread 0.05", without=lacking)
    run(tmp_path, f"{play} ada.jsonl", without=lacking)
    run(tmp_path, f"{play} bo.jsonl", without=lacking, seed="1", threads="2")
    run(tmp_path, f"{play} torch.jsonl")

    header = read_trace(tmp_path / "ada.jsonl").header
    assert told == "ada@v1: ada@v1 for embedded, rank 4, its answers differ from its base's\n"
    assert {mark.backend for mark in header.agents.values()} == {"onnx"}
    assert (tmp_path / "ada.jsonl").read_bytes() == (tmp_path / "bo.jsonl").read_bytes()
    assert len(choices(tmp_path / "ada.jsonl")) > 10
    assert choices(tmp_path / "ada.jsonl") == choices(tmp_path / "torch.jsonl")


def test_a_base_is_opened_by_whom_one_asks_for_and_by_whom_is_there(
    embedded: FrozenBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By torch where that is installed, else by onnxruntime, for the base and the device that it can do."""
    other = msgspec.structs.replace(embedded, folder=tmp_path)
    assert isinstance(open_backend(embedded), Local)
    assert isinstance(open_backend(embedded, "onnx"), Exported)

    monkeypatch.setitem(sys.modules, "hocket.agents.local", None)

    assert isinstance(open_backend(embedded), Exported)
    for base, device in ((other, "auto"), (embedded, "cuda")):
        with pytest.raises(MissingExtraError, match="a language model in this process needs the extra 'learn'"):
            open_backend(base, device=device)
