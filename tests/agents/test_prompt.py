"""Offers as chat messages."""

from collections.abc import Sequence
from functools import cache

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from hocket.agents.prompt import Prompt, actions, make_prompt, system_message
from hocket.agents.random import Random
from hocket.agents.scripted.cook import Cook
from hocket.agents.style import PROFILES, SCORERS, Profile, Scorer, Style
from hocket.games import registry
from hocket.runtime.policy import Choice, Chooser, NoChoice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

GAMES = ("overcooked:asymmetric_advantages", "overcooked:forced_coordination", "pantry", "pantry:roles")


class Kept:
    """Plays as another does and keeps what it was offered."""

    def __init__(self, chooser: Chooser) -> None:
        self.offers: list[Offer] = []
        self._chooser = chooser

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        self.offers += offers
        return self._chooser.choose_many(offers)


@cache
def offers(name: str, library: str = "default") -> tuple[Offer, ...]:
    """Every offer of an episode without guards, in which something is delivered."""
    game = registry.make(name)
    kept = Kept(Cook() if name.startswith("overcooked") and library == "default" else Random())
    steps = 4 if name == "pantry:roles" else 120
    scheduler = Scheduler(game, registry.library(game, library), seed=3, holders=["ada"] * game.seats, steps=steps)
    play([Rollout(scheduler, Seats([Holder("ada", kept)] * game.seats, Holder("ada", kept)))])
    return tuple(kept.offers)


def late(name: str, seat: int, library: str = "default") -> Offer:
    """The last decision of a seat: much to remember."""
    return [offer for offer in offers(name, library) if offer.seat == seat][-1]


def shown(prompt: Prompt) -> str:
    """Both messages, one below the other."""
    return f"[system]\n{prompt.system}\n[user]\n{prompt.user}"


@pytest.mark.parametrize("scorer", ["letter", "text", "two_line", "paper", "json"])
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_prompt(name: str, profile: Profile, scorer: Scorer, snapshot: SnapshotAssertion) -> None:
    """What a model reads, to the letter: adapters are trained on it, so a change is a change of policy."""
    offer = late(name, seat=1)

    assert shown(make_prompt(offer, Style(profile, scorer))) == snapshot


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_prompt_of_primitive_actions(name: str, profile: Profile, snapshot: SnapshotAssertion) -> None:
    """The native interface: the same situation over a menu of moves."""
    offer = late(name, seat=0, library="primitives")

    assert shown(make_prompt(offer, Style(profile, "letter"))) == snapshot


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("name", GAMES)
def test_the_system_message_is_one_for_all_seats_and_decisions(name: str, profile: Profile, scorer: Scorer) -> None:
    """So its keys and values are computed once, and a model server finds them in its cache."""
    style = Style(profile, scorer)

    messages = {make_prompt(offer, style).system for offer in offers(name)}

    assert messages == {system_message(registry.make(name).words, style)}


@pytest.mark.parametrize("name", ["overcooked:asymmetric_advantages", "overcooked:forced_coordination"])
def test_the_full_prompt_of_a_kitchen_holds_what_the_paper_s_example_holds(name: str) -> None:
    """Section 5.1: place, heading, hands, partner, pots and ways, counters, layout, step, what was done and gained."""
    for offer in offers(name)[-8:]:
        view = offer.observation
        text, system = make_prompt(offer, Style()).user, make_prompt(offer, Style()).system

        other = view.others[0]
        for cook in (view.me, other):
            assert f"at {cook.place}, facing {cook.facing}, holding " in text
        assert text.count(f"cook {1 - offer.seat} at {other.place}") == 2
        assert "\n- partner: cook" in text
        for pot in view.pots:
            (line,) = (line for line in text.splitlines() if line.startswith(f"- pot {pot.at}: "))
            assert f"{len(pot.contents)} of 3 ingredients" in line
            assert "moves to it: you: " in line
            assert f"cook {1 - offer.seat}: " in line
        for place, _ in view.counters:
            assert f" on {place}" in text
        assert "\nCounters: " in text
        assert f"\nLayout: {name.partition(':')[2]}.\n" in text
        assert f"\nTick {offer.tick} of {offer.steps}.\n" in text
        assert f"the latest last: {', '.join(offer.recent.options)}\n" in text
        assert len(offer.recent.options) == 5
        assert f"points of the team in the last 100 ticks: {offer.recent.reward:g}\n" in text
        assert "\n".join("".join(mark if mark != " " else "." for mark in row) for row in view.grid) in system
        for line in offer.menu.lines():
            assert f"\n{line}\n" in text


def test_the_nearer_cook_is_named() -> None:
    """The two kitchens of the asymmetric layout have their pots between them."""
    texts = [make_prompt(offer, Style()).user for offer in offers("overcooked:asymmetric_advantages")]

    lines = [line for text in texts for line in text.splitlines() if line.startswith("- pot")]
    assert any(line.endswith("you are closest") for line in lines)
    assert any(line.endswith(("cook 0 is closest", "cook 1 is closest")) for line in lines)


def test_who_cannot_reach_a_pot_is_told_so() -> None:
    """Of the two cooks in forced coordination, one has the pots and the other the onions."""
    texts = [make_prompt(late("overcooked:forced_coordination", seat), Style()).user for seat in (0, 1)]

    lines = [[line for line in text.splitlines() if line.startswith("- pot")] for text in texts]
    assert all(line.endswith("cook 1: out of reach") for line in lines[0])
    assert all("you: out of reach, cook 0: " in line and "closest" not in line for line in lines[1])


@pytest.mark.parametrize("profile", PROFILES)
def test_two_seats_of_a_pantry_read_the_same_where_they_stand_alike(profile: Profile) -> None:
    """Exchange the cooks, and each reads what the other read: nothing tells which seat it has."""
    words = registry.make("pantry").words
    told = words.brief if profile == "brief" else words.full

    for offer in offers("pantry"):
        facts = offer._facts
        exchanged = msgspec.structs.replace(facts, places=facts.places[::-1], held=facts.held[::-1])
        assert told(facts, 0) == told(exchanged, 1)
        assert told(facts, 1) == told(exchanged, 0)


@pytest.mark.parametrize("profile", PROFILES)
def test_two_seats_of_the_roles_read_the_same(profile: Profile) -> None:
    """All that parts them is what they did, and the letters: at the first decision, the letters alone."""
    ada, bo = offers("pantry:roles")[:2]

    texts = [make_prompt(offer, Style(profile, "json")).user for offer in (ada, bo)]

    assert texts[0] == texts[1]
    assert "cook 0" not in texts[0]


@pytest.mark.parametrize("scorer", ["letter", "json"])
def test_nothing_is_remembered_at_the_first_decision(scorer: Scorer) -> None:
    """Said in a word, so that the line is there from the start."""
    offer = offers("pantry")[0]

    full, brief = (make_prompt(offer, Style(profile, scorer)).user.splitlines() for profile in ("full", "brief"))

    assert "- your last options, the latest last: none" in full
    assert "- points of the team in the last 100 ticks: 0" in full
    assert "did nothing" in brief
    assert "gain 0" in brief


def test_a_prompt_for_objects_lists_kinds_and_not_what_is_possible() -> None:
    """In the ablation the model has to find out by itself what can be done where."""
    offer = offers("overcooked:forced_coordination")[0]

    listed = actions(offer)

    assert "- pick_onion with a target [x, y]" in listed
    assert "- wait" in listed
    assert len(listed) == len({entry.option for entry in offer.menu.entries})
    assert "A) " not in make_prompt(offer, Style(scorer="json")).user


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("name", GAMES)
def test_prompts_are_plain_and_do_not_repeat_a_line_break(name: str, profile: Profile, scorer: Scorer) -> None:
    """No trailing blanks and no empty paragraphs: they are tokens too."""
    for offer in offers(name)[:6]:
        prompt = make_prompt(offer, Style(profile, scorer))
        for text in (prompt.system, prompt.user):
            assert text.isascii()
            assert "\n\n\n" not in text
            assert all(line == line.strip() for line in text.split("\n"))
            assert text == text.strip()
