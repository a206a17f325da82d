"""What a reply may look like, and how it is read."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.grammar import (
    entry_text,
    instruction,
    letter_line,
    parse,
    regex,
    replies,
    state_line,
    text_line,
)
from hocket.agents.style import PROFILES, SCORERS, WRITTEN, Profile, Scorer, Style
from hocket.runtime.menu import Menu
from hocket.runtime.option import instance

STAGES = ("empty", "ready_to_plate")
FETCH, WAIT = instance("fetch", (0, 2), "fetch a jar"), instance("wait", None, "wait 2 ticks")
MENU = Menu.of([FETCH, WAIT])
LINES, OBJECTS = Style(scorer="generate"), Style(scorer="json")

names = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
targets = st.none() | st.tuples(st.integers(0, 40), st.integers(0, 40))
menus = st.lists(st.tuples(names, targets), min_size=1, max_size=40, unique=True).map(
    lambda pairs: Menu.of([instance(name, target, f"do {name}") for name, target in pairs])
)
styles = st.builds(Style, st.sampled_from(PROFILES), st.sampled_from(WRITTEN))
stages = st.lists(names, min_size=1, max_size=5, unique=True)


@given(menus, stages, styles)
def test_what_the_grammar_lets_through_is_what_is_parsed(menu: Menu, stages: list[str], style: Style) -> None:
    """Every reply matches the expression for a server, and reads as its own entry; none is left out."""
    texts = replies(menu, stages, style)

    read = [parse(text, menu, style) for text in texts]

    assert all(re.fullmatch(regex(menu, stages, style), text) for text in texts)
    assert {each.index for each in read} == set(range(len(menu)))
    assert len(set(texts)) == len(texts) == len(menu) * (1 if style.scorer == "json" else len(stages))
    for text, each in zip(texts, read, strict=True):
        entry = menu.entries[each.index or 0]
        if style.scorer == "json":
            assert json.loads(text).get("target") == (None if entry.target is None else list(entry.target))
        else:
            assert text.split()[-1] == menu.letters[each.index or 0]


@given(menus, stages, styles, st.data())
def test_a_damaged_reply_is_no_match(menu: Menu, stages: list[str], style: Style, data: st.DataObject) -> None:
    """The expression lets nothing else through: not a character more."""
    text = data.draw(st.sampled_from(replies(menu, stages, style)))
    place = data.draw(st.integers(0, len(text)))

    damaged = f"{text[:place]}#{text[place:]}"

    assert not re.fullmatch(regex(menu, stages, style), damaged)


@given(st.text() | st.text('{}[]:,"actionwait \n\ud800\udfff\x0b\u2028'), styles)
def test_any_text_is_read_or_refused_with_a_reason(text: str, style: Style) -> None:
    """A model writes what it likes; what is said of it is short, and can go into a trace."""
    reply = parse(text, MENU, style)

    if reply.index is None:
        assert reply.reason in ("malformed", "not on the menu")
        assert 0 < len(reply.detail) < 500
        assert reply.detail.encode("utf-8")
    else:
        assert reply.index in (0, 1)
        assert (reply.reason, reply.detail) == ("", "")


@pytest.mark.parametrize("style", [LINES, OBJECTS], ids=["lines", "object"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 3_000_000,
        "\n" * 100_000,
        "state: empty\nchoice: " + "A" * 1_000_000,
        "[" * 100_000,
        '{"action":' * 100_000,
        '{"action": "wait", "target": ' + "[" * 100_000,
        '{"action": "wait", "target": [' + "9" * 5000 + ", 1]}",
        '{"action": "wait", "target": [' + "9" * 4000 + ", 1]}",
        '{"' + "a" * 1_000_000 + '": 1}',
        '{"action": "' + "a" * 1_000_000 + '"}',
        '{"action": "wait", "target": [1e400, NaN]}',
        "\ud800",
        '{"action": "\ud800"}',
        "\x00\x1b[31m",
    ],
    ids=range(15),
)
def test_a_monstrous_reply_is_refused_in_few_words(text: str, style: Style) -> None:
    """Huge, nested, not even Unicode: none of it fills the trace or ends the episode."""
    reply = parse(text, MENU, style)

    assert reply.index is None
    assert len(reply.detail) < 300
    assert reply.detail.isprintable()
    assert reply.detail.isascii()


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ("choice: A", "malformed", "it is not two lines: 'choice: A'"),
        (
            "state: empty\nchoice: A\nso be it",
            "malformed",
            "it is not two lines: 'state: empty\\nchoice: A\\nso be it'",
        ),
        ("A\nB", "malformed", "its first line names no state: 'A\\nB'"),
        ("state: empty\nB", "malformed", "its second line names no letter: 'state: empty\\nB'"),
        ("state: empty\nchoice: b", "malformed", "its second line names no letter: 'state: empty\\nchoice: b'"),
        ("state: empty\nchoice: C", "not on the menu", "letter C of 2"),
        ("state: empty\nchoice: AA", "not on the menu", "letter AA of 2"),
    ],
)
def test_two_lines_that_are_no_choice(text: str, reason: str, detail: str) -> None:
    """Said so that a person who reads the trace sees what was wrong."""
    reply = parse(text, MENU, LINES)

    assert (reply.index, reply.reason, reply.detail) == (None, reason, detail)


@pytest.mark.parametrize(
    ("text", "reason", "detail"),
    [
        ('{"action": "fetch"}', "not on the menu", "no 'fetch' at None"),
        ('{"action": "fetch", "target": [2, 0]}', "not on the menu", "no 'fetch' at (2, 0)"),
        ('{"action": "wait", "target": [0, 2]}', "not on the menu", "no 'wait' at (0, 2)"),
        ('{"target": [0, 2]}', "malformed", "missing required field `action`"),
        ('{"action": "wait", "why": "tired"}', "malformed", "unknown field `why`"),
        ('{"action": "fetch", "target": [0, 2, 1]}', "malformed", "Expected `array` of length 2"),
        ('{"action": "wait"} so be it', "malformed", "trailing characters"),
        ("wait", "malformed", "no JSON object with an action: "),
    ],
)
def test_an_object_that_is_no_choice(text: str, reason: str, detail: str) -> None:
    """What could be read but is not offered is told from what could not be read."""
    reply = parse(text, MENU, OBJECTS)

    assert (reply.index, reply.reason) == (None, reason)
    assert detail in reply.detail


@pytest.mark.parametrize(
    ("text", "style", "index"),
    [
        ("  state: empty \n choice: B\n\n", LINES, 1),
        ("state:empty\nchoice:A", LINES, 0),
        ("state empty\nchoice B", Style("brief", "generate"), 1),
        (' {"target":[0,2],"action":"fetch"}\n', OBJECTS, 0),
        ('{"action": "wait", "target": null}', OBJECTS, 1),
    ],
)
def test_blanks_and_order_do_not_matter(text: str, style: Style, index: int) -> None:
    """A choice that is plain to see is taken."""
    assert parse(text, MENU, style).index == index


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scorer", SCORERS)
def test_the_instruction_shows_the_form_that_is_parsed(profile: Profile, scorer: Scorer) -> None:
    """In sentences it shows each line with its lead; in brief it is one line of known words."""
    told = instruction(Style(profile, scorer), STAGES)

    if profile == "brief":
        assert len(told) == 1
        assert told[0].startswith("answer ")
    elif scorer == "json":
        assert json.loads(told[-2]) == {"action": "wait"}
    else:
        assert told[-1].startswith("choice: <")
        assert (f"state: <how far the work is: {' | '.join(STAGES)}>" in told) == (scorer in ("paper", "generate"))


def test_lines_are_put_together_in_one_place() -> None:
    """With a colon in sentences and without one in brief."""
    full, brief = Style(), Style("brief")

    lines = [
        (letter_line("B", style), text_line(FETCH, style, "intent"), state_line("empty", style))
        for style in (full, brief)
    ]

    assert lines == [
        ("choice: B", "intent: fetch a jar @ (0, 2)", "state: empty"),
        ("choice B", "intent fetch@0,2", "state empty"),
    ]
    assert [entry_text(WAIT, style) for style in (full, brief)] == ["wait 2 ticks", "wait"]
