"""The base in this process: its numbers are those of transformers and peft."""

import warnings
from collections.abc import Callable, Sequence
from random import Random as Dice
from typing import Any

import pytest
import torch

from hocket.agents.adapter import Adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.grammar import parse, replies
from hocket.agents.local import Local
from hocket.agents.prompt import make_prompt, system_message
from hocket.agents.query import Query, Writing
from hocket.agents.style import Style
from hocket.agents.tree import Ids
from hocket.runtime.errors import AdapterError, PromptError
from hocket.runtime.policy import Offer

STYLE = Style("brief", "two_line")
Reference = Callable[[str, Ids, Ids], list[float]]


@pytest.fixture(scope="module")
def local(embedded: FrozenBase, adapters: list[Adapter]) -> Local:
    """The embedded base with all adapters."""
    backend = Local(embedded)
    for adapter in adapters:
        backend.load(adapter)
    return backend


@pytest.fixture(scope="module")
def reference(embedded: FrozenBase, adapters: list[Adapter]) -> Reference:
    """Ask transformers and peft themselves, one whole prompt at a time: adapter, tokens, candidates."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model: Any = AutoModelForCausalLM.from_pretrained(embedded.folder, dtype=torch.float32)
        model = PeftModel.from_pretrained(model, str(adapters[0].folder), adapter_name=adapters[0].name)
        for adapter in adapters[1:]:
            model.load_adapter(str(adapter.folder), adapter.name)
    model.eval()

    def asked(name: str, tokens: Ids, among: Ids) -> list[float]:
        with torch.inference_mode(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name:
                model.set_adapter(name)
                logits = model(input_ids=torch.tensor([tokens])).logits[0, -1]
            else:
                with model.disable_adapter():
                    logits = model(input_ids=torch.tensor([tokens])).logits[0, -1]
        found: list[float] = torch.log_softmax(logits[list(among)].double(), -1).tolist()
        return found

    return asked


def questions(local: Local, offers: Sequence[Offer], names: Sequence[str]) -> list[Query]:
    """Branching questions behind the prompts of some offers, to each adapter in turn."""
    dice = Dice(5)
    size = len(local.tokens.tokenizer)
    found = []
    for place, offer in enumerate(offers):
        prompt = local.tokens.prompt(make_prompt(offer, STYLE))
        thens: list[Ids] = [(), (7,), (7, 8), (7, 9), (11,), (11, 12, 13), (11, 12, 14)]
        for then in thens:
            among = tuple(dice.sample(range(3, size), 5))
            found.append(Query(names[place % len(names)], prompt, then, among))
    return found


def far(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest difference of two lists."""
    return max(abs(mine - theirs) for mine, theirs in zip(one, other, strict=True))


def test_answers_are_those_of_transformers_and_peft(
    local: Local, reference: Reference, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """Base and adapters in one call, with a shared prefix, packed as trees: the same within float32's rounding."""
    offers = [*offered("overcooked:asymmetric_advantages")[:6], *offered("pantry")[:6]]
    local.prefixes[:] = [local.tokens.prefix(system_message(offer.words, STYLE)) for offer in (offers[0], offers[-1])]
    asked = questions(local, offers, ["", *(adapter.name for adapter in adapters)])

    answers = local.score(asked)

    differences = [
        far(answer, reference(query.adapter, (*query.prompt, *query.then), query.among))
        for query, answer in zip(asked, answers, strict=True)
    ]
    assert max(differences) < 1e-5


def test_an_answer_does_not_depend_on_what_else_was_asked(
    local: Local, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """One by one, all at once, in another order: the same bits, which is what lets K rollouts advance together."""
    local.prefixes[:] = [local.tokens.prefix(system_message(offered()[0].words, STYLE))]
    asked = questions(local, offered()[:8], ["", adapters[0].name, adapters[1].name])
    groups = [asked[start : start + 7] for start in range(0, len(asked), 7)]

    together = local.score(asked)
    alone = [answer for group in groups for answer in local.score(group)]
    backwards = [answer for group in reversed(groups) for answer in local.score(group)]

    assert alone == together
    assert sorted(backwards) == sorted(together)


def test_rows_and_prefixes_change_nothing_but_the_last_bits(
    embedded: FrozenBase, local: Local, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """Batches of seven with padding, and prompts without a known prefix, agree within rounding."""
    offers = offered("overcooked:forced_coordination")[:7]
    local.prefixes[:] = [local.tokens.prefix(system_message(offers[0].words, STYLE))]
    batched = Local(embedded, rows=7)
    batched.load(adapters[0])
    asked = questions(local, offers, [adapters[0].name])

    here, there = local.score(asked), batched.score(asked)

    assert max(far(one, other) for one, other in zip(here, there, strict=True)) < 1e-5


def test_adapters_part_from_the_base_and_from_each_other_and_a_fresh_one_does_not(
    local: Local, adapters: list[Adapter], offered: Callable[..., list[Offer]]
) -> None:
    """What is compared above would prove nothing if every adapter answered alike."""
    prompt = local.tokens.prompt(make_prompt(offered()[0], STYLE))
    base, *answers = local.score([Query(name, prompt, (), (4, 5, 6, 7)) for name in ["", *(a.name for a in adapters)]])

    assert min(far(base, answer) for answer in answers[:3]) > 0.01
    assert far(answers[0], answers[1]) > 0.01
    assert far(base, answers[3]) == 0


def test_adapters_add_no_copy_of_the_base(embedded: FrozenBase, adapters: list[Adapter]) -> None:
    """With three more adapters there are as many parameters more as they have, and the head is the same memory."""
    backend = Local(embedded)
    head = backend.weights.head.data_ptr()
    own = sum(parameter.numel() for parameter in backend.weights.model.parameters())

    for adapter in adapters[:3]:
        backend.load(adapter)

    from safetensors import safe_open

    added = 0
    for adapter in adapters[:3]:
        with safe_open(adapter.folder / "adapter_model.safetensors", framework="np") as file:
            added += sum(file.get_tensor(name).size for name in file.keys())  # noqa: SIM118
    assert sum(parameter.numel() for parameter in backend.weights.model.parameters()) == own + added
    assert backend.weights.head.data_ptr() == head


def test_an_adapter_that_was_unloaded_is_refused_and_the_others_stay(
    embedded: FrozenBase, adapters: list[Adapter]
) -> None:
    """No question falls back to the base without a word; the last adapter can go, too, and come back."""
    backend = Local(embedded)
    query = Query(adapters[0].name, (3, 4, 5), (), (6, 7))
    other = Query(adapters[1].name, (3, 4, 5), (), (6, 7))
    backend.load(adapters[0])
    backend.load(adapters[1])
    before = backend.score([query, other])

    backend.unload(adapters[0].name)
    with pytest.raises(AdapterError, match="seat0@v1: is not loaded"):
        backend.score([query])
    assert backend.score([other]) == before[1:]
    backend.unload(adapters[1].name)
    with pytest.raises(AdapterError, match="seat1@v1: is not loaded"):
        backend.score([other])
    backend.load(adapters[0])

    assert backend.score([query]) == before[:1]


def test_what_is_written_under_a_grammar_is_well_formed(local: Local, offered: Callable[..., list[Offer]]) -> None:
    """Whatever the temperature, and it is a function of the draws."""
    style = Style("brief", "generate", grammar=True)
    for offer in offered("overcooked:asymmetric_advantages")[:6]:
        allowed = tuple(local.tokens.ended(text) for text in replies(offer.menu, offer.words.stages, style))
        prompt = local.tokens.prompt(make_prompt(offer, style))
        writing = Writing("", prompt, "", 48, 2.0, offer.draw_again, allowed)

        written, again = local.write([writing, writing])

        assert written == again
        assert written.log_prob < 0
        assert parse(local.tokens.text(written.ids), offer.menu, style).index is not None


def test_a_text_ends_at_its_stop_and_at_its_longest(local: Local, offered: Callable[..., list[Offer]]) -> None:
    """A state line ends with its line; the stop itself is no part of it."""
    offer = offered()[0]
    prompt = local.tokens.prompt(make_prompt(offer, Style("brief", "paper")))

    line, cut = local.write(
        [Writing("", prompt, "\n", 48, 0.0, offer.draw_again), Writing("", prompt, "", 3, 1.0, offer.draw_again)]
    )

    assert line.ids
    assert "\n" not in local.tokens.text(line.ids)
    assert line.log_prob == 0
    assert len(cut.ids) <= 3


def test_a_text_says_how_many_numbers_it_took(local: Local) -> None:
    """One a token, that of the end among them; none where nothing was drawn. So a reply can be drawn again."""
    prompt, end = (4, 5, 6), local.tokens.end
    asked: list[int] = []

    def draw(place: int) -> float:
        asked.append(place)
        return 0.5

    ended = Writing("", prompt, "", 9, 1.0, draw, ((7, 8, end),))
    cut, cold = (
        Writing("", prompt, "", 2, 1.0, draw, ((7, 8, 9, end),)),
        Writing("", prompt, "", 9, 0.0, draw, ((7, end),)),
    )
    found = local.write([ended, cut, cold])

    assert [(written.ids, written.draws) for written in found] == [((7, 8), 3), ((7, 8), 2), ((7,), 0)]
    assert asked == [0, 1, 2, 0, 1]


def test_a_prompt_longer_than_the_context_is_refused(local: Local, embedded: FrozenBase) -> None:
    """In one sentence, before anything is computed."""
    long = tuple([3] * embedded.context)

    with pytest.raises(PromptError, match=f"a prompt of {embedded.context + 1} tokens, but embedded has a context of"):
        local.score([Query("", long, (4,), (5, 6))])
    with pytest.raises(PromptError, match="has a context of"):
        local.write([Writing("", long, "", 8, 0.0, lambda place: 0.5)])
