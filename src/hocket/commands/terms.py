"""Pace, contracts and faults of an episode, as they stand on the command line."""

from collections.abc import Sequence

import msgspec

from hocket.commands.arguments import Paces, by_seat
from hocket.replays.fault_file import read_profile
from hocket.replays.trace import Terms
from hocket.runtime.contract import PATIENT, Contract, read_contract
from hocket.runtime.drawn import Drawn
from hocket.runtime.errors import SeatError, SettingError, UnknownNameError
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.game import Game
from hocket.runtime.incident import Faults, Incident, read_incident
from hocket.runtime.listed import Listed
from hocket.runtime.option import Library
from hocket.runtime.pace import Live, Lockstep, Pace, Simulated


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What was given on the command line."""

    pace: Paces
    hz: float | None = None
    limit: float | None = None
    faults: str | None = None
    fault: Sequence[str] = ()
    contract: Sequence[str] = ()


def read_contracts(
    given: Sequence[str], game: Game[object], library: Library[object], default: Contract
) -> dict[int, Contract]:
    """Read `TERMS` for every seat, or `N=TERMS` for one; what is said of one seat goes before.

    Raises:
        SettingError: not of that form.
        SeatError: no such seat, or one named twice.
        UnknownNameError: an option that the library does not have.
    """
    everybody = default
    for terms in (entry for entry in given if "=" not in entry):
        everybody = read_contract(terms, default)
    right = "TERMS for every seat or N=TERMS for one, e.g. 0=deadline:20,misses:3"
    named = by_seat("--contract", [entry for entry in given if "=" in entry], game, right)
    found = {seat: read_contract(terms, everybody) for seat, terms in named.items()}
    for contract in (everybody, *found.values()):
        option = contract.meanwhile.partition("@")[0]
        if option and option not in library.by_name:
            raise UnknownNameError(kind="option", name=option, known=library.by_name)
    return {seat: found.get(seat, everybody) for seat in range(game.seats)}


def read_incidents(texts: Sequence[str], game: Game[object]) -> tuple[Incident, ...]:
    """Read faults that are to happen.

    Raises:
        SettingError: not of that form.
        SeatError: no such seat.
    """
    incidents = tuple(read_incident(text) for text in texts)
    for each in incidents:
        if each.seat >= game.seats:
            raise SeatError(seat=each.seat, game=game.spec.name, seats=game.seats, problem=f"of {each} is not there")
    return incidents


class Agreed(msgspec.Struct, frozen=True):
    """What holds in an episode."""

    pace: Pace
    contracts: tuple[Contract, ...]
    faults: Faults | None
    """None where nothing goes wrong on purpose."""
    terms: Terms
    """For the header of its trace."""


def agree(
    given: Given, game: Game[object], library: Library[object], *, seed: int, steps: int, fallback: str
) -> Agreed:
    """Make out of what was given what holds.

    Raises:
        UsageError: what does not go together, or cannot be read.
    """
    simulated = given.pace is Paces.simulated
    contracts = read_contracts(given.contract, game, library, PATIENT if simulated else Contract())
    told = tuple(contracts.values())
    bound = told if any(each != Contract() for each in told) else ()
    if not simulated:
        for setting, value in (("--faults", given.faults), ("--fault", given.fault)):
            if value:
                raise SettingError(setting=setting, value=value, right="left out, or given with --pace simulated")
        named = fallback if bound or given.pace is not Paces.lockstep else ""
        terms = Terms(given.pace.value, bound, named)
        return Agreed(_pace(given), told, None, terms)
    if given.hz is not None:
        raise SettingError(setting="--hz", value=given.hz, right="left out in virtual time; --pace live has a rate")
    if given.faults is not None and given.fault:
        raise SettingError(setting="--fault", value=given.fault, right="left out with --faults: one or the other")
    if given.fault:
        incidents = read_incidents(given.fault, game)
        listed = Listed(incidents)
        return Agreed(
            Simulated(listed, given.limit), told, listed, Terms("simulated", bound, fallback, None, tuple(given.fault))
        )
    profile = FaultProfile() if given.faults is None else read_profile(given.faults)
    drawn = Drawn(profile, seed=seed, seats=game.seats, steps=steps)
    return Agreed(Simulated(drawn, given.limit), told, drawn, Terms("simulated", bound, fallback, profile))


def _pace(given: Given) -> Pace:
    if given.pace is Paces.lockstep:
        if given.hz is not None:
            raise SettingError(setting="--hz", value=given.hz, right="left out in lockstep; --pace live has a rate")
        return Lockstep(given.limit)
    if given.limit is not None:
        raise SettingError(setting="--limit", value=given.limit, right="left out at live pace, which waits for nobody")
    return Live(8.0 if given.hz is None else given.hz)
