"""What a certificate is played from: the team, and each seat beside others.

Alone is beside partners that stand idle: they are there, and may be in the way.
"""

from collections.abc import Sequence

import msgspec

from hocket.agents.spec import scripted_for
from hocket.learners.match import Match, Terms


class Partner(msgspec.Struct, frozen=True):
    """Who holds the other seats in the condition with a scripted partner."""

    agent: str | None
    why: str = ""
    """Why there is nobody."""


class Conditions(msgspec.Struct, frozen=True):
    """The matches; those by seat have shape [seats]."""

    team: Match
    alone: tuple[Match, ...]
    random: tuple[Match, ...]
    scripted: tuple[Match, ...]
    """Empty where there is no scripted partner."""

    @property
    def others(self) -> list[Match]:
        """All but the team, in order."""
        return [*self.alone, *self.random, *self.scripted]


def partner_for(kind: str, library: str, named: str | None) -> Partner:
    """Return the scripted partner in a game.

    Args:
        kind: of the game, e.g. `overcooked`.
        library: of options that is played with.
        named: who it is to be; None for the one that comes with hocket.
    """
    if named is not None:
        return Partner(named)
    own = scripted_for(kind)
    if own is None:
        return Partner(None, f"no scripted partner comes with {kind}; name one with --partner AGENT")
    if library != "default":
        return Partner(None, f"{own} knows the options of the default library alone; name one with --partner AGENT")
    return Partner(own)


def conditions(terms: Terms, agents: Sequence[str], partner: Partner, seeds: Sequence[int]) -> Conditions:
    """Put a team together with each of its seats beside others.

    Args:
        terms: of all episodes.
        agents: of the team, shape [seats].
        partner: in the condition with a scripted one.
        seeds: one an episode.
    """

    def beside(other: str) -> tuple[Match, ...]:
        places = range(len(agents))
        teams = (tuple(agents[seat] if seat == each else other for each in places) for seat in places)
        return tuple(Match(terms, team, tuple(seeds)) for team in teams)

    scripted = () if partner.agent is None else beside(partner.agent)
    return Conditions(Match(terms, tuple(agents), tuple(seeds)), beside("idle"), beside("random"), scripted)
