"""What the embedded base is trained on: prompts of random play, intents drawn at random.

Nothing here tells what is good to do. An intent is drawn evenly from the menu, and what is
learned of the first line is the even distribution itself, not the draw; the letter of the
second line follows from menu and intent.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, cast

import msgspec

from hocket.agents.grammar import lead, letter_line, text_line
from hocket.agents.offers import random_offers
from hocket.agents.prompt import make_prompt
from hocket.agents.style import Scorer, Style
from hocket.agents.tokens import Tokens
from hocket.games import registry
from hocket.learners.embedded.tokenizer import END, START, TARGETED, UNTARGETED
from hocket.learners.guard_file import decode_guards, fit
from hocket.runtime.game import Game
from hocket.runtime.menu import Menu
from hocket.runtime.option import Instance, instance
from hocket.runtime.policy import Offer
from hocket.runtime.seed import Stream
from hocket.runtime.words import Situation

HELD_OUT = (
    "bottleneck",
    "coordination_ring",
    "counter_circuit_o_1order",
    "large_room",
    "schelling_s",
    "simple_o_t",
)
"""Layouts that no training prompt comes from."""
LIBRARIES = ("default", "stations", "errands")
MOST_ENTRIES = 16
FORMS: tuple[tuple[Scorer, float], ...] = (("two_line", 0.7), ("text", 0.15), ("letter", 0.05), ("paper", 0.1))
"""Forms of reply, and how often each is asked for."""
HEADINGS = ("north", "south", "east", "west")
THINGS = ("apple", "apples", "dirt", "patch", "tile", "river", "orchard", "table", "wall")
STATES = (
    "near",
    "far",
    "ripe",
    "bare",
    "frozen",
    "ready",
    "level",
    "growing",
    "free",
    "none",
    "nothing",
    "open",
    "shut",
)
WORLDS = (
    "harvest {} players eat apple",
    "cleanup {} players clean river eat apple",
    "world {} players",
    "orchard {} players eat apple",
)


class Text(msgspec.Struct, frozen=True):
    """Tokens, and the distribution that each token of its replies has."""

    ids: list[int]
    prompt: int
    """How many of them are the prompt."""
    targets: list[tuple[int, int, float]]
    """Place of the token before, token, probability; several a place where more than one may follow."""
    letters: list[int]
    """Places before a letter that an intent decides."""


def play_offers(name: str, library: str, dice: Random, *, seats: int | None = None, share: float = 0.25) -> list[Offer]:
    """Play one episode at random, under guards where such are committed, and return some of its offers.

    Args:
        name: of the game.
        library: of its options.
        dice: decide on seed, length and what is kept.
        seats: a setting of the game, where it has one.
        share: of the offers that is kept.

    Raises:
        UnknownNameError: no such game, layout or library.
        SettingError: the game has no such number of seats.
        GuardError: the committed guards do not fit the library.
    """
    game = registry.make(name, {} if seats is None else {"seats": seats})
    options = registry.library(game, library)
    committed = registry.guards(game, library) if seats is None else None
    guards = () if committed is None else fit(decode_guards(committed, name), game, options, name)
    steps = dice.choice((60, 100, 200, 400)) if game.spec.kind == "overcooked" else game.steps
    seed = dice.randrange(2**32)
    offers = random_offers(game, options, seed=seed, steps=steps, guards=guards)
    kept = [offer for offer in offers if dice.random() < share]
    return [cut(offer, dice, keep_all=bool(guards)) for offer in kept]


def cut(offer: Offer, dice: Random, *, keep_all: bool = True) -> Offer:
    """Shuffle the menu of an offer anew; without guards, leave a few of its entries, `wait` among them."""
    entries = list(offer.menu.entries)
    dice.shuffle(entries)
    if not keep_all or len(entries) > MOST_ENTRIES:
        entries.sort(key=lambda entry: entry.option != "wait")
        entries = entries[: dice.randint(2, MOST_ENTRIES)]
        dice.shuffle(entries)
    return msgspec.structs.replace(offer, menu=Menu.of(entries))


def easy_menu(dice: Random, size: int) -> list[Instance]:
    """Make up a menu in which every name is another, and every place."""
    names = dice.sample([*TARGETED, *UNTARGETED], size)
    places = dice.sample([(x, y) for x in range(16) for y in range(12)], size)
    return [
        instance(name, place if name in TARGETED else None, name) for name, place in zip(names, places, strict=True)
    ]


def made_menu(dice: Random, size: int) -> list[Instance]:
    """Make up a menu of at most `size` entries, easily mistaken: few names, few places."""
    width, height = (16, 12) if dice.random() < 0.7 else (30, 22)
    places = [(dice.randrange(width), dice.randrange(height)) for _ in range(dice.randint(1, size))]
    names = dice.sample(TARGETED, min(len(TARGETED), dice.randint(1, size)))
    plain = dice.sample(UNTARGETED, dice.randint(0, min(size, 6)) if dice.random() < 0.8 else min(size, 20))
    pool = [(name, None) for name in plain] + [(name, place) for name in names for place in places]
    drawn = dict.fromkeys(dice.sample(pool, min(size, len(pool))))
    return [instance(name, place, name) for name, place in drawn]


class _SketchWords:
    rules = ()
    stages = ("walking", "eating", "cleaning", "waiting")

    def __init__(self, brief_rules: str, situation: Situation) -> None:
        self.brief_rules, self._situation = brief_rules, situation

    def brief(self, facts: object, seat: int) -> Situation:
        """Return the one situation there is."""
        return self._situation

    full = brief


class _Sketch:
    """As much of a game as a prompt asks for."""

    def __init__(self, words: _SketchWords) -> None:
        self.words = words


def sketch(dice: Random) -> Offer:
    """Make up an offer of a game that is not there: lines without meaning, a menu as of an orchard or of actions."""

    def place() -> str:
        return f"@{dice.randrange(30)},{dice.randrange(22)}"

    def cook(name: str) -> str:
        return f"{name}{place()} {dice.choice(HEADINGS)} {dice.choice(STATES)}"

    world = [
        f"{dice.choice(THINGS)}{place() if dice.random() < 0.6 else ''} {dice.choice(STATES)} {dice.randrange(30)}"
        for _ in range(dice.randint(0, 5))
    ]
    others = dice.choice((0, 1, 1, 2, 3, 6))
    situation = Situation((cook("me"),), tuple(cook("mate") for _ in range(others)), tuple(world))
    tick, size = dice.randrange(400), dice.randint(2, MOST_ENTRIES) if dice.random() < 0.95 else dice.randint(17, 26)
    entries = _actions(dice, size) if dice.random() < 0.35 else made_menu(dice, size)
    latest = tuple(dice.choice(entries).key for _ in range(dice.randint(0, 5)))
    words = _SketchWords(dice.choice(WORLDS).format(others + 1), situation)
    totals = [0.0] * tick + [float(dice.choice((0, 0, 1, 2, 5, 20)))]
    return Offer(
        seat=0,
        decision=0,
        tick=tick,
        menu=Menu.of(entries),
        _game=cast(Game[Any], _Sketch(words)),
        _facts=(),
        _stream=Stream(b""),
        _latest=latest,
        _totals=totals,
        steps=dice.choice((100, 200, 400, 500, 1000)),
    )


def _actions(dice: Random, size: int) -> list[Instance]:
    return [instance(name, None, name) for name in dice.sample(UNTARGETED, min(size, len(UNTARGETED)))]


class Writer:
    """Writes prompts and replies as tokens."""

    def __init__(self, tokenizer: Any) -> None:
        """Write with a tokenizer of transformers.

        Raises:
            ModelError: it makes no chats.
        """
        self._tokens = Tokens(tokenizer, "embedded")
        self._newline, self._end = self.encode("\n")[0], self.encode(END)[0]

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        return list(self._tokens.reply(text))

    def prompt(self, offer: Offer, scorer: Scorer) -> list[int]:
        """Return the tokens of a prompt, up to where the reply begins."""
        return list(self._tokens.prompt(make_prompt(offer, Style("brief", scorer))))

    def drill(self, menu: Menu, dice: Random, replies: int) -> Text:
        """Write a bare menu and many replies to it."""
        pairs = " ".join(f"{entry.key} {letter}" for entry, letter in zip(menu.entries, menu.letters, strict=True))
        ids = self.encode(f"menu {pairs}{END}\n{START}assistant\n")
        return self._reply(ids, menu, (), "two_line", dice, replies)

    def full(self, offer: Offer, scorer: Scorer, dice: Random, replies: int = 1) -> Text:
        """Write a whole prompt and replies to it."""
        return self._reply(self.prompt(offer, scorer), offer.menu, offer.words.stages, scorer, dice, replies)

    def _reply(
        self, ids: list[int], menu: Menu, stages: Sequence[str], scorer: Scorer, dice: Random, replies: int
    ) -> Text:
        style = Style("brief", scorer)
        text = Text(ids, len(ids), [], [])
        letters = [self.encode(letter_line(letter, style)) for letter in menu.letters]
        named = "intent" if scorer == "two_line" else "choice"
        entries = [self.encode(text_line(entry, style, named)) for entry in menu.entries]
        for _ in range(replies):
            drawn = dice.randrange(len(menu))
            if scorer == "two_line":
                self._line(text, entries, drawn, self._newline)
                text.letters.append(len(ids) + len(letters[drawn]) - 2)
                self._line(text, letters[drawn : drawn + 1], 0, self._end)
            elif scorer == "text":
                self._line(text, entries, drawn, self._end)
            else:
                if scorer == "paper":
                    states = [self.encode(f"{lead('state', style)} {stage}") for stage in stages]
                    self._line(text, states, dice.randrange(len(states)), self._newline)
                self._line(text, letters, drawn, self._end)
            ids.append(self._newline)
        return text

    def _line(self, text: Text, lines: Sequence[Sequence[int]], drawn: int, close: int) -> None:
        """Add one of several equally likely lines, and what could follow each of its tokens."""
        closed = [[*line, close] for line in lines]
        chosen = closed[drawn]
        for depth, token in enumerate(chosen):
            alike = [line[depth] for line in closed if line[:depth] == chosen[:depth]]
            for follower in dict.fromkeys(alike):
                text.targets.append((len(text.ids) - 1, follower, alike.count(follower) / len(alike)))
            text.ids.append(token)


def form_drawn(dice: Random) -> Scorer:
    """Draw a form of reply."""
    names: list[Scorer] = [name for name, _ in FORMS]
    return dice.choices(names, [share for _, share in FORMS])[0]
