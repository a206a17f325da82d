"""`hocket fork`: an episode goes on from a recorded decision with other agents."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.progress import Progress

from hocket.agents.idle import Idle
from hocket.agents.recast import Recast
from hocket.commands.arguments import checked_count, parse_seats
from hocket.commands.trace_path import made_folder
from hocket.leaving import leave
from hocket.replays.branch import Branch
from hocket.replays.decisions import Decision, decisions, find_decision
from hocket.replays.difference import Difference
from hocket.replays.fork import Counterfactual, fork_header, lent
from hocket.replays.fork import fork as go_on
from hocket.replays.rebuilt import Rebuilt
from hocket.replays.rerun import rerun
from hocket.replays.trace import Terms, Trace, read_trace
from hocket.replays.writer import TraceWriter
from hocket.runtime.errors import AgentError, MissingError, SettingError, TracePathError
from hocket.runtime.seats import Holder

_SUFFIXES = (".zst", ".jsonl")


def fork(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace that `hocket play` recorded.")],
    at: Annotated[
        str | None,
        typer.Option(metavar="DECISION", help="Where: a number over all offers, from 0; or SEAT:NUMBER of one seat."),
    ] = None,
    every: Annotated[
        int | None, typer.Option(metavar="N", help="At every N-th decision: a table of what would have come of it.")
    ] = None,
    seat: Annotated[
        list[str],
        typer.Option(metavar="N=AGENT", help="Who takes over seat N, as for `hocket play`. The others go on."),
    ] = [],  # noqa: B006
    out: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            help="Where to record the fork. Default: TRACE-fork-NUMBER.jsonl. With --every: a folder; default, none.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Play a recorded episode on from one of its decisions, with other agents.

    What came before is simulated again and must agree. Exit code 1: it does not.

    \b
    hocket fork traces/pantry-0.jsonl --at 12 --seat 1=random
    hocket fork traces/pantry-0.jsonl --at 1:5 --seat 1=idle --trace b.jsonl

    What would the team have got without seat 1, from every 20th decision on?

    \b
    hocket fork traces/pantry-0.jsonl --every 20 --seat 1=idle
    """
    threads = threading.enumerate()
    places = _places(at, every)
    if not seat:
        raise MissingError(argument="--seat N=AGENT", what="it says who takes over")
    recorded = read_trace(trace)
    game = Rebuilt(recorded).game
    company = _Company(recorded, parse_seats(seat, game), Recast(recorded.header, game))
    if isinstance(places, str):
        code = _one(recorded, find_decision(recorded, places), company, _beside(trace, out), as_json=as_json)
    else:
        code = _table(recorded, decisions(recorded)[::places], company, out, as_json=as_json)
    return leave(code, threads)


def _places(at: str | None, every: int | None) -> str | int:
    if at is not None and every is not None:
        raise SettingError(setting="--every", value=every, right="left out with --at: one or the other")
    if at is not None:
        return at
    if every is None:
        raise MissingError(argument="--at DECISION, or --every N", what="it says where to fork")
    return checked_count("--every", every)


class _Company:
    """Who plays on."""

    def __init__(self, trace: Trace, named: Mapping[int, str], recast: Recast) -> None:
        self._trace, self._named, self._recast = trace, named, recast

    def play(self, branch: Branch, path: Path | None) -> Counterfactual:
        """Cast the agents of a branch, and go on from it; record it where there is a path."""
        held = branch.scheduler.holders
        named = {seat: self._recast.named(spec, seat) for seat, spec in self._named.items()}
        holders = [named.get(seat) or self._recast.again(name, seat) for seat, name in enumerate(held)]
        back = lent(self._trace, branch)
        owners = {seat: self._recast.again(name, seat) for seat, name in back.items() if seat not in named}
        cast = [*holders, *owners.values()]
        for holder in cast:
            other = self._recast.difference(holder.name)
            if other is not None:
                problem = f"the model of that name is another one in the trace: {other.sentence('there', 'now')}"
                raise AgentError(agent=holder.name, problem=problem)
        seated = {holder.name for holder in cast}
        marks = {name: mark for name, mark in self._recast.marks.items() if name in seated}
        header = fork_header(self._trace.header, branch, marks)
        writer = None if path is None else TraceWriter(path, header)
        try:
            return go_on(self._trace, branch, holders, named, self._fallback(), writer, owners=owners)
        finally:
            if writer is not None:
                writer.close()

    def _fallback(self) -> Holder:
        """Return who takes the seat of an agent that has failed: as in the trace, or one who waits."""
        terms = self._trace.header.terms
        name = terms.fallback if isinstance(terms, Terms) else ""
        return self._recast.again(name, 0) if name else Holder("idle", Idle())

    def words(self) -> str:
        """Say who takes over."""
        return ", ".join(f"seat {seat}: {spec}" for seat, spec in sorted(self._named.items()))


def _beside(trace: Path, out: Path | None) -> Path | None:
    """Refuse to write a fork in the place of its trace."""
    if out is not None and out.exists() and trace.exists() and out.samefile(trace):
        raise TracePathError(path=out, problem="is the trace to be forked; name another file")
    return out


def _named_for(trace: Path, decision: Decision, folder: Path) -> Path:
    name = trace.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return folder / f"{name}-fork-{decision.number}.jsonl"


def _one(trace: Trace, at: Decision, company: _Company, out: Path | None, *, as_json: bool) -> int:
    branch = Branch(trace, at)
    if branch.difference is not None:
        return _disagrees(trace, branch.difference, as_json=as_json)
    path = _named_for(Path(trace.path), at, Path(trace.path).parent) if out is None else out
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        found = company.play(branch, path)
    if as_json:
        typer.echo(
            msgspec.json.encode(
                _row(found) | {"agrees": True, "trace": os.fsencode(path).decode(errors="backslashreplace")}
            )
        )
        return 0
    typer.echo(f"decision {found.decision}, tick {found.tick}, {found.so_far:g} points so far; {company.words()}")
    told = "" if found.recorded is None else f", as recorded {found.recorded:g}: {found.difference:+g}"
    typer.echo(f"return {found.fork:g}{told}")
    typer.echo(f"trace: {path}\nrun it again: hocket rerun {path}")
    return 0


def _table(trace: Trace, places: Sequence[Decision], company: _Company, folder: Path | None, *, as_json: bool) -> int:
    difference = rerun(trace).difference
    if difference is not None:
        return _disagrees(trace, difference, as_json=as_json)
    if folder is not None:
        made_folder(folder)
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        rows = list(_rows(trace, places, company, folder))
    if as_json:
        typer.echo(msgspec.json.encode({"agrees": True, "rows": [_row(each) for each in rows]}))
        return 0
    typer.echo(f"{company.words()}, from each of these decisions on\n")
    typer.echo("  tick  decision  seat  so far  recorded    fork  difference")
    for each in rows:
        end = ("-", "-") if each.recorded is None else (f"{each.recorded:g}", f"{each.difference:+g}")
        typer.echo(
            f"{each.tick:>6}  {each.decision:>8}  {each.seat:>4}  {each.so_far:>6g}  {end[0]:>8}  {each.fork:>6g}"
            f"  {end[1]:>10}"
        )
    return 0


def _rows(trace: Trace, places: Sequence[Decision], company: _Company, folder: Path | None) -> Iterator[Counterfactual]:
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        for at in progress.track(places, description="forking"):
            path = None if folder is None else _named_for(Path(trace.path), at, folder)
            yield company.play(Branch(trace, at), path)


def _row(found: Counterfactual) -> dict[str, object]:
    return {**msgspec.structs.asdict(found), "difference": found.difference}


def _disagrees(trace: Trace, difference: Difference, *, as_json: bool) -> int:
    """Say where a trace parts from its rerun, so that nothing can be forked."""
    if as_json:
        typer.echo(msgspec.json.encode({"agrees": False, "difference": difference}))
    else:
        typer.echo(f"{trace.path} does not agree: {difference.sentence('in the trace', 'in the rerun')}")
    return 1
