"""Questions as rows of tokens."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.packing import Row, known_prefix, pack
from hocket.agents.query import Query
from hocket.agents.tree import Ids

PROMPTS: tuple[Ids, ...] = ((1, 2, 3, 4), (1, 2, 5), (1, 2, 3, 4, 6))
PREFIXES: tuple[Ids, ...] = ((1,), (1, 2), (1, 2, 5), (7,))
queries = st.lists(
    st.builds(
        lambda adapter, prompt, then: Query(adapter, prompt, tuple(then), (8, 9)),
        st.sampled_from(["", "seat0@v1"]),
        st.sampled_from(PROMPTS),
        st.lists(st.integers(0, 2), max_size=4),
    ),
    min_size=1,
    max_size=20,
)


def ancestors(row: Row, place: int) -> set[int]:
    """A token and all that it follows."""
    found = set()
    while place >= 0:
        found.add(place)
        place = row.parents[place]
    return found


def path(row: Row, place: int) -> Ids:
    """The tokens from the beginning of a prompt up to one of its row."""
    return (*row.prefix, *(row.tokens[each] for each in sorted(ancestors(row, place))))


@given(queries, st.booleans())
def test_every_question_is_asked_once_behind_its_own_tokens(asked: Sequence[Query], trees: bool) -> None:
    """What a token follows, read backwards, is the prompt and what of the reply comes before."""
    rows = pack(asked, PREFIXES, trees=trees)

    numbers = sorted(number for row in rows for number, _ in row.asked)
    assert numbers == list(range(len(asked)))
    for row in rows:
        for number, place in row.asked:
            assert row.adapter == asked[number].adapter
            assert path(row, place) == asked[number].prompt + asked[number].then


@given(queries)
def test_a_token_attends_to_what_it_follows_and_to_nothing_else(asked: Sequence[Query]) -> None:
    """The mask is the relation of ancestors, with the whole prefix; positions are their number."""
    for row in pack(asked, PREFIXES, trees=True):
        before, size = len(row.prefix), len(row.tokens)
        expected = np.zeros((size, before + size), dtype=bool)
        for place in range(size):
            expected[place, :before] = True
            expected[place, [before + each for each in ancestors(row, place)]] = True

        assert np.array_equal(row.mask(), expected)
        assert row.positions() == [before + len(ancestors(row, place)) - 1 for place in range(size)]
        assert row.mask().sum(axis=1).tolist() == [position + 1 for position in row.positions()]


@given(queries)
def test_no_token_stands_twice_after_the_same(asked: Sequence[Query]) -> None:
    """What replies have in common is computed once."""
    for row in pack(asked, PREFIXES, trees=True):
        pairs = list(zip(row.parents, row.tokens, strict=True))
        assert len(set(pairs)) == len(pairs)


@given(queries)
def test_with_trees_a_prompt_has_one_row_and_without_each_question_has_its_own(asked: Sequence[Query]) -> None:
    """A model that takes no masks of ours gets rows that do not branch; asked twice, a question is one."""
    branching, plain = (pack(asked, PREFIXES, trees=trees) for trees in (True, False))

    assert len(branching) == len({(query.adapter, query.prompt) for query in asked})
    assert len(plain) == len({(query.adapter, query.prompt, query.then) for query in asked})
    assert not any(row.branches for row in plain)
    for row in plain:
        size = len(row.tokens)
        assert np.array_equal(row.mask()[:, len(row.prefix) :], np.tri(size, dtype=bool))


def test_rows_come_in_the_order_of_their_prompts() -> None:
    """So a batch is a function of what was asked."""
    asked = [Query("", prompt, (0,), (8, 9)) for prompt in (PROMPTS[1], PROMPTS[0], PROMPTS[1])]

    rows = pack(asked, (), trees=True)

    assert [row.prefix + row.tokens[:-1] for row in rows] == [PROMPTS[1], PROMPTS[0]]
    assert [[number for number, _ in row.asked] for row in rows] == [[0, 2], [1]]


def test_a_row_says_whether_it_branches() -> None:
    """A chain needs no mask."""
    chain = [Query("", (1, 2), then, (8, 9)) for then in ((), (3,), (3, 4))]
    fork = [*chain, Query("", (1, 2), (5,), (8, 9))]

    (straight,), (branching,) = pack(chain, (), trees=True), pack(fork, (), trees=True)

    assert (straight.branches, straight.tokens, straight.asked) == (False, (1, 2, 3, 4), ((0, 1), (1, 2), (2, 3)))
    assert (branching.branches, branching.parents) == (True, (-1, 0, 1, 2, 1))


def test_the_longest_known_prefix_is_split_off() -> None:
    """But never a whole prompt: something must be left whose next token is asked for."""
    found = [known_prefix(prompt, PREFIXES) for prompt in ((1, 2, 3), (1, 2, 5), (1, 2, 5, 6), (1, 3), (1,), (4, 1))]

    assert found == [(1, 2), (1, 2), (1, 2, 5), (1,), (), ()]
    assert known_prefix((1, 2), ()) == ()
