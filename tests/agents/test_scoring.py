"""From log-probabilities to a choice, held against brute force."""

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import exp, inf, isclose, log
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.grammar import replies, text_line
from hocket.agents.query import Query, Writing, Written
from hocket.agents.scoring import Case, Replies, Round, Scored, rounds, sample, score, tempered
from hocket.agents.style import PROFILES, SCORERS, Profile, Scorer, Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids
from hocket.runtime.errors import PromptError
from hocket.runtime.menu import Menu
from hocket.runtime.option import instance

MENU = Menu.of(
    [
        instance("fetch", (0, 2), "fetch a jar"),
        instance("fetch", (0, 3), "fetch a jar"),
        instance("wait", None, "wait 2 ticks"),
        instance("serve", (6, 2), "serve the jar"),
    ]
)
ONE = Menu.of(MENU.entries[2:3])
STAGES = ("empty", "serving")
DRAWS = (0.3, 0.8, 0.1, 0.6)


class Characters:
    """A tokenizer with a token for each character; 0 ends a reply."""

    chat_template = "plain"
    eos_token_id = 0

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return [ord(sign) for sign in text]

    def apply_chat_template(self, messages: Sequence[dict[str, str]], **_: Any) -> str:
        return "".join(message["content"] for message in messages)

    def decode(self, ids: Sequence[int], **_: Any) -> str:
        return "".join(map(chr, ids))


TOKENS = Tokens(Characters(), "toy")


def case(
    scorer: Scorer = "letter",
    menu: Menu = MENU,
    *,
    draw: Callable[[int], float] = DRAWS.__getitem__,
    prompt: str = "ada",
    every: bool = False,
    **style: Any,
) -> Case:
    """A decision of ada's."""
    ids = tuple(map(ord, prompt))
    return Case("seat0@v1", ids, menu, STAGES, Style(scorer=scorer, **style), TOKENS, draw, every)


def logit(adapter: str, before: Ids, token: int) -> float:
    """What the stand-in makes of a token: some number, always the same."""
    return 4 * blake2b(repr((adapter, before, token)).encode(), digest_size=1).digest()[0] / 255


def answer(query: Query) -> tuple[float, ...]:
    """Log-probabilities over the candidates alone."""
    logits = [logit(query.adapter, query.prompt + query.then, token) for token in query.among]
    total = log(sum(map(exp, logits)))
    return tuple(each - total for each in logits)


def write(writing: Writing) -> Written:
    """Write out: among the allowed replies where there are some, else among three signs and the end."""
    ids: list[int] = []
    chance, draws = 0.0, 0
    while len(ids) < writing.most:
        draws += writing.temperature > 0
        size = len(ids)
        fits = {each[size] for each in writing.allowed if each[:size] == tuple(ids)}
        among = sorted(fits) if writing.allowed else [0, *map(ord, "a\n:")]
        at = tempered(answer(Query(writing.adapter, writing.prompt, tuple(ids), tuple(among))), writing.temperature)
        place = at.index(0.0) if writing.temperature == 0 else sample(at, writing.draw(size))
        chance += at[place]
        if among[place] == 0 or (writing.stop and chr(among[place]) == writing.stop):
            break
        ids.append(among[place])
    return Written(tuple(ids), chance, draws)


def answered(cases: Sequence[Case]) -> tuple[list[Scored], list[Round]]:
    """What the cases come to together, and what was asked in each round."""
    asking, log = rounds([score(each) for each in cases]), list[Round]()
    told: Replies | None = None
    while True:
        try:
            queries, writings = next(asking) if told is None else asking.send(told)
        except StopIteration as end:
            return _sound(end.value), log
        log.append((queries, writings))
        told = [answer(each) for each in queries], [write(each) for each in writings]


def _sound(found: Sequence[Scored | PromptError]) -> list[Scored]:
    """What the cases came to; an error is raised."""
    for each in found:
        if isinstance(each, PromptError):
            raise each
    return [each for each in found if isinstance(each, Scored)]


def scored(one: Case) -> Scored:
    """What one case comes to by itself."""
    return answered([one])[0][0]


def menu_of(lines: Sequence[str], prompt: str = "ada") -> list[float]:
    """Brute force: the likelihood of each line, token by token, among what any of the lines goes on with."""
    ids = [(*map(ord, line), 0) for line in lines]
    found = []
    for each in ids:
        total = 0.0
        for place, token in enumerate(each):
            among = tuple(dict.fromkeys(other[place] for other in ids if other[:place] == each[:place]))
            given_ = Query("seat0@v1", tuple(map(ord, prompt)), each[:place], among)
            total += answer(given_)[among.index(token)]
        found.append(total)
    return found


def same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two lists of log-probabilities are equal but for rounding."""
    return len(one) == len(other) and all(isclose(a, b, abs_tol=1e-9) for a, b in zip(one, other, strict=True))


@given(st.lists(st.floats(-30, 0), min_size=1, max_size=9), st.floats(0.05, 20))
def test_a_tempered_distribution_is_one(log_probs: list[float], temperature: float) -> None:
    """It sums to 1, keeps the order, and at temperature 1 is the one that it came from."""
    hot, plain = tempered(log_probs, temperature), tempered(log_probs, 1)

    assert isclose(sum(map(exp, hot)), 1, rel_tol=1e-9)
    assert [hot[place] for place in sorted(range(len(hot)), key=log_probs.__getitem__)] == sorted(hot)
    assert same(tempered(plain, 1), plain)
    assert same(hot, tempered(plain, temperature))


def test_temperature_zero_is_the_first_of_the_likeliest() -> None:
    """And nothing else is possible."""
    assert tempered([-2.0, -1.0, -1.0], 0) == (-inf, 0.0, -inf)


def test_what_is_impossible_stays_so_at_any_temperature() -> None:
    """Down to one at which numbers run out."""
    for temperature in (1e-300, 0.5, 1, 100):
        assert tempered([-inf, -1.0, -inf], temperature) == (-inf, 0.0, -inf)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=9), st.floats(0, 1, exclude_max=True))
def test_a_draw_falls_on_its_share(weights: list[float], draw: float) -> None:
    """The first place whose shares, with all before it, exceed the draw."""
    shares = [weight / sum(weights) for weight in weights]

    place = sample([log(share) for share in shares], draw)

    assert sum(shares[:place]) <= draw + 1e-9
    assert draw - 1e-9 <= sum(shares[: place + 1])


def test_a_draw_beyond_what_rounding_left_falls_on_the_likeliest() -> None:
    """Never on what cannot be."""
    assert sample([log(0.3), log(0.6), -inf], 1 - 2**-53) == 1
    assert sample([-inf, 0.0], 0.0) == 1


@pytest.mark.parametrize("profile", PROFILES)
def test_letter_asks_for_one_token(profile: Profile) -> None:
    """After the lead of the line, among the letters of the menu."""
    one = case(profile=profile)

    (got,), ((queries, writings),) = answered([one])

    lead = "choice " if profile == "brief" else "choice: "
    (query,) = queries
    assert (query.then, query.among, writings) == (tuple(map(ord, lead)), tuple(map(ord, "ABCD")), [])
    assert got.menu == answer(query)
    assert got.index == sample(got.menu, 0.3)
    assert got.index is not None
    assert isclose(got.log_prob, got.menu[got.index])
    assert (got.draws, got.intent, got.intents, got.reply) == (1, None, (), ())


@pytest.mark.parametrize("profile", PROFILES)
def test_text_is_brute_force_over_the_words_of_the_menu(profile: Profile) -> None:
    """The tree asks less and says the same."""
    one = case("text", profile=profile)

    (got,), asked = answered([one])

    expected = menu_of([text_line(entry, one.style) for entry in MENU.entries])
    assert same(got.menu, expected)
    assert isclose(sum(map(exp, got.menu)), 1, rel_tol=1e-9)
    assert got.index == sample(expected, 0.3)
    assert isclose(got.log_prob, expected[got.index or 0])
    assert (got.draws, len(asked)) == (1, 1)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("every", [True, False])
def test_two_lines_are_brute_force(profile: Profile, temperature: float, every: bool) -> None:
    """An intent over the words, then a letter over the menu behind that very intent."""
    one = case("two_line", every=every, profile=profile, temperature=temperature)
    head = "choice " if profile == "brief" else "choice: "

    got = scored(one)

    lines = [f"{text_line(entry, one.style, 'intent')}\n" for entry in MENU.entries]
    intents = menu_of(lines)
    assert same(got.intents, intents)
    assert got.intent == sample(tempered(intents, temperature), 0.3)
    assert got.intent is not None
    then = tuple(map(ord, lines[got.intent] + head))
    letters = answer(Query("seat0@v1", one.prompt, then, tuple(map(ord, "ABCD"))))
    assert same(got.menu, letters)
    assert got.index == sample(tempered(letters, temperature), 0.8)
    assert got.index is not None
    chance = tempered(intents, temperature)[got.intent] + tempered(letters, temperature)[got.index]
    assert isclose(got.log_prob, chance, abs_tol=1e-9)
    assert got.draws == 2


def test_asking_for_every_branch_at_once_changes_nothing_but_the_number_of_rounds() -> None:
    """A model in this process is asked once, a server twice and for less."""
    for draw in range(20):
        dice = Random(draw)
        draws = [dice.random(), dice.random()].__getitem__
        (once,), asked = answered([case("two_line", every=True, draw=draws)])
        (twice,), asked_twice = answered([case("two_line", every=False, draw=draws)])
        assert once == twice
        assert [len(asked), len(asked_twice)] == [1, 2]
        assert len(asked[0][0]) == len(asked_twice[0][0]) + len(MENU)
        assert len(asked_twice[1][0]) == 1


@pytest.mark.parametrize("scorer", ["letter", "text", "two_line"])
def test_temperature_zero_takes_the_likeliest(scorer: Scorer) -> None:
    """Whatever is drawn; and as it could not have been otherwise, its logarithm is 0."""
    first, *others = (scored(case(scorer, temperature=0.0, draw=lambda _: draw)) for draw in (0.0, 0.5, 0.99))  # noqa: B023

    assert first.index is not None
    assert first.menu[first.index] == max(first.menu)
    assert first.log_prob == 0.0
    assert others == [first, first]


@pytest.mark.parametrize("scorer", ["letter", "text", "two_line"])
def test_a_menu_of_one_asks_nothing(scorer: Scorer) -> None:
    """And no number is drawn for it."""

    def draw(number: int) -> float:
        raise AssertionError(number)

    (got,), asked = answered([case(scorer, ONE, draw=draw)])

    assert (got.index, got.log_prob, got.menu, got.draws) == (0, 0.0, (0.0,), 0)
    assert asked == []


def test_a_menu_of_one_still_has_its_state_written() -> None:
    """The line is part of the reply; the letter is not asked for."""
    (got,), asked = answered([case("paper", ONE, grammar=True)])

    assert (got.index, got.log_prob, got.draws) == (0, 0.0, 0)
    assert "".join(map(chr, got.reply)) in ("state: empty", "state: serving")
    assert [(len(queries), len(writings)) for queries, writings in asked] == [(0, 1)]


@pytest.mark.parametrize("grammar", [True, False])
def test_the_state_is_written_and_then_a_letter_is_asked_for(grammar: bool) -> None:
    """Likeliest token first, to the end of its line; the choice alone is drawn."""
    (got,), ((_, (writing,)), ((query,), _)) = answered([case("paper", grammar=grammar)])

    assert (writing.stop, writing.temperature, writing.most) == ("\n", 0.0, 48)
    assert query.then == (*got.reply, *map(ord, "\nchoice: "))
    assert query.among == tuple(map(ord, "ABCD"))
    assert got.index == sample(answer(query), 0.3)
    assert got.index is not None
    assert isclose(got.log_prob, answer(query)[got.index])
    assert got.draws == 1
    assert (writing.pattern, len(writing.allowed)) == (("state:\\ empty|state:\\ serving", 2) if grammar else ("", 0))


@pytest.mark.parametrize("scorer", ["generate", "json"])
@pytest.mark.parametrize("profile", PROFILES)
def test_under_a_grammar_what_is_written_is_always_a_choice(scorer: Scorer, profile: Profile) -> None:
    """Each of the replies is possible, and nothing else."""
    seen = set()
    for number in range(60):
        dice = Random(number)
        draws = [dice.random() for _ in range(80)]
        one = case(scorer, profile=profile, grammar=True, draw=draws.__getitem__, most_tokens=80)
        got = scored(one)
        text = TOKENS.text(got.reply)
        assert text in replies(MENU, STAGES, one.style)
        assert got.index is not None
        assert (got.reason, got.detail, got.menu) == ("", "", ())
        assert got.draws == len(got.reply) + 1
        assert got.log_prob < 0
        seen.add(got.index)
    assert seen == {0, 1, 2, 3}


@pytest.mark.parametrize(("scorer", "detail"), [("generate", "it is not two lines: "), ("json", "no JSON object")])
def test_without_one_a_failure_carries_its_reason(scorer: Scorer, detail: str) -> None:
    """With what was written, and how likely it was: learners learn from failures too."""
    dice = [Random(7).random() for _ in range(80)]

    got = scored(case(scorer, draw=dice.__getitem__))

    assert (got.index, got.reason) == (None, "malformed")
    assert detail in got.detail
    assert got.reply
    assert got.log_prob < 0


def test_what_is_cut_short_drew_no_end() -> None:
    """As many numbers as tokens, where the length ran out before the model came to an end."""
    got = scored(case("generate", most_tokens=3, draw=lambda number: (0.99, 0.99, 0.99)[number]))

    assert (len(got.reply), got.draws) == (3, 3)


@pytest.mark.parametrize("scorer", ["generate", "json"])
def test_written_out_at_temperature_zero_nothing_is_drawn(scorer: Scorer) -> None:
    """And so the receipt says."""
    got = scored(case(scorer, temperature=0.0, grammar=True))

    assert (got.draws, got.log_prob) == (0, 0.0)
    assert got.index is not None


def test_scorers_of_different_lengths_go_together_and_each_gets_its_own_answers() -> None:
    """Whatever stands in a batch beside a case, it comes to what it would come to alone."""
    dice = Random(5)
    cases = []
    for number in range(30):
        draws = [dice.random() for _ in range(60)]
        scorer = dice.choice(SCORERS)
        menu = dice.choice([MENU, MENU, ONE])
        style = {"grammar": dice.random() < 0.5}
        cases.append(case(scorer, menu, prompt=f"ada {number}", draw=draws.__getitem__, every=number % 2 == 0, **style))  # type: ignore[arg-type]

    together, asked = answered(cases)

    assert together == [scored(each) for each in cases]
    assert len(asked) == 2
    assert all(len(queries) > 3 for queries, _ in asked)


def test_nothing_to_score_is_nothing_asked() -> None:
    """A tick on which nobody is due."""
    assert answered([]) == ([], [])


@pytest.mark.parametrize("scorer", ["letter", "text", "two_line"])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_choices_are_as_frequent_as_they_are_likely(scorer: Scorer, temperature: float) -> None:
    """Over many draws; for two lines, over both of them."""
    dice, size = Random(11), 4000
    picked: Counter[tuple[int | None, int | None]] = Counter()
    chance = {}

    for _ in range(size):
        draws = [dice.random(), dice.random()]
        got = scored(case(scorer, every=True, temperature=temperature, draw=draws.__getitem__))
        picked[got.intent, got.index] += 1
        chance[got.intent, got.index] = exp(got.log_prob)

    for pair, count in picked.items():
        assert abs(count / size - chance[pair]) < 0.04
    assert sum(chance.values()) <= 1 + 1e-9


def test_two_options_of_the_same_words_cannot_be_told_apart() -> None:
    """By their text, that is: they have letters of their own."""
    twice = Menu.of([instance("wash", None, "work"), instance("serve", None, "work")])

    with pytest.raises(PromptError, match="two options of the menu have the same words"):
        scored(case("text", twice))
    assert scored(case("letter", twice)).index in (0, 1)


def test_one_option_s_words_may_begin_with_another_s() -> None:
    """The end of a reply, or of a line, tells `wait` from `wait longer`."""
    menu = Menu.of([instance("wait", None, "wait"), instance("sleep", None, "wait longer")])

    for scorer in ("text", "two_line"):
        assert len(scored(case(scorer, menu)).menu) == 2


def test_a_menu_beyond_the_letters_of_one_token_is_refused() -> None:
    """`AA` is two characters."""
    menu = Menu.of([instance(f"wait{number}", None, f"wait {number} ticks") for number in range(30)])

    with pytest.raises(PromptError) as caught:
        scored(case("letter", menu))

    assert str(caught.value) == "a menu of 30 options, but the tokenizer has 26 letters of one token"
    assert scored(case("text", menu)).index is not None


def test_what_cannot_be_asked_comes_to_its_error_and_the_others_go_on() -> None:
    """Two options of the same words cannot be told apart: the fault of that decision alone."""
    twice = Menu.of([MENU.entries[0], MENU.entries[0]])
    asking = rounds([score(case("text", menu=twice)), score(case("text"))])
    told: Replies | None = None

    while True:
        try:
            queries, _ = next(asking) if told is None else asking.send(told)
        except StopIteration as end:
            wrong, right = end.value
            break
        told = [answer(each) for each in queries], []

    assert isinstance(wrong, PromptError)
    assert right == scored(case("text"))
