"""A prefix tree of token sequences."""

from collections.abc import Sequence
from math import exp, isclose, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.tree import Ids, Tree
from hocket.runtime.errors import PromptError

END = 9
sequences = st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=1, max_size=12, unique_by=tuple).map(
    lambda lists: [(*each, END) for each in lists]
)


def told(tree: Tree, seed: int) -> dict[Ids, tuple[float, ...]]:
    """A random distribution at every node."""
    dice = Random(seed)
    answers = {}
    for path, among in tree.nodes.items():
        weights = [dice.uniform(0.01, 1) for _ in among]
        answers[path] = tuple(log(weight / sum(weights)) for weight in weights)
    return answers


@given(sequences, st.integers(0, 999))
def test_the_exponentials_sum_to_one(among: Sequence[Ids], seed: int) -> None:
    """Whatever the model says at each node, it is a distribution over the menu."""
    tree = Tree(among)

    log_probs = tree.log_probs(told(tree, seed))

    assert len(log_probs) == len(among)
    assert isclose(sum(map(exp, log_probs)), 1, rel_tol=1e-9)


@given(sequences, st.integers(0, 999))
def test_each_is_the_product_of_its_shares(among: Sequence[Ids], seed: int) -> None:
    """Against the definition: token by token, among what some sequence goes on with."""
    tree = Tree(among)
    answers = told(tree, seed)

    log_probs = tree.log_probs(answers)

    for each, found in zip(among, log_probs, strict=True):
        product = 1.0
        for place, token in enumerate(each):
            path = each[:place]
            goes_on = list(dict.fromkeys(other[place] for other in among if other[:place] == path))
            if len(goes_on) > 1:
                assert tree.nodes[path] == tuple(goes_on)
                product *= exp(answers[path][goes_on.index(token)])
        assert isclose(exp(found), product, rel_tol=1e-9)


def test_nothing_is_asked_where_nothing_branches() -> None:
    """One option needs no model, and neither do the tokens after which only one can come."""
    single, forked = Tree([(1, 2, 3)]), Tree([(1, 2, 3), (1, 4, 5)])

    assert single.nodes == {}
    assert single.log_probs({}) == (0.0,)
    assert forked.nodes == {(1,): (2, 4)}


@pytest.mark.parametrize("among", [[(1, 2), (1, 2)], [(1, 2), (1, 2, 3)], [(1, 2, 3), (4,), (1,)], [(), (1,)]])
def test_what_cannot_be_told_apart_is_refused(among: Sequence[Ids]) -> None:
    """Twice the same, or one the beginning of another, in any order."""
    with pytest.raises(PromptError) as caught:
        Tree(among)

    assert str(caught.value) == "two options of the menu have the same words, or one begins with another's"


def test_answers_of_another_size_are_a_bug() -> None:
    """A backend that answers for too few tokens is not made up for."""
    with pytest.raises(ValueError, match="shorter"):
        Tree([(1,), (2,)]).log_probs({(): (0.0,)})
