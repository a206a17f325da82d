"""What a page is made of: chapters of words, tables, pictures and episodes."""

from typing import TypeAlias

import msgspec

_SHORT = 24
"""Lines."""


class _Part(msgspec.Struct, frozen=True, tag_field="kind"):
    @property
    def kind(self) -> str:
        """How the page knows it."""
        return str(self.__struct_config__.tag)


class Words(_Part, frozen=True, tag="words"):
    """Paragraphs."""

    lines: tuple[str, ...]
    strong: bool = False
    """Whether they are what the chapter is about."""


class Table(_Part, frozen=True, tag="table"):
    """Rows under columns; a line break in a cell is one on the page."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first cell of each is its heading."""
    plain: bool = False
    """Whether cells are words rather than numbers."""

    @property
    def short(self) -> bool:
        """Whether it is kept on one page of paper."""
        return sum(1 + max(cell.count("\n") for cell in row) for row in self.rows) <= _SHORT


class Picture(_Part, frozen=True, tag="picture"):
    """One or more drawings that say one thing; none where its numbers cannot be drawn."""

    caption: str
    gist: str
    """The same in words, for whoever does not see it."""
    drawings: tuple[str, ...]
    """Each an SVG element."""


class Fold(_Part, frozen=True, tag="fold"):
    """Tables that are looked up rather than read."""

    title: str
    parts: tuple[Words | Table, ...]


class Story(_Part, frozen=True, tag="story"):
    """One episode, tick by tick."""

    title: str
    about: str
    seats: tuple[str, ...]
    """Who holds each at the start."""
    ticks: int
    """How long it is: there is one state of the world more to step through."""
    data: str
    """What is to be seen of each, as JSON that cannot end a script element."""
    why: str
    """Why there is no picture of the world; empty where there is."""
    lanes: tuple[str, ...]
    """The same as text, one lane a seat."""
    left: int
    """Lines of it that are too many for paper."""
    command: str
    """Shows them all."""

    @property
    def columns(self) -> int:
        """Width of its lanes with a little of what happens in the world, in characters."""
        return max(map(len, self.lanes[:2]), default=0) + 30


Part: TypeAlias = Words | Table | Picture | Fold | Story


class Chapter(msgspec.Struct, frozen=True):
    """Something with a heading of its own."""

    name: str
    """By which the page links to it."""
    title: str
    parts: tuple[Part, ...]


class Page(msgspec.Struct, frozen=True):
    """A report."""

    title: str
    about: str
    chapters: tuple[Chapter, ...]


def sentence(text: str) -> str:
    """Make a sentence of words that have neither a capital nor an end."""
    return f"{text[:1].upper()}{text[1:]}."
