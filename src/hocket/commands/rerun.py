"""`hocket rerun`: simulate a trace again and compare."""

import sys
from collections.abc import Mapping
from contextlib import closing, redirect_stdout
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.progress import Progress

from hocket.agents.recast import Recast
from hocket.commands.arguments import parse_seats
from hocket.commands.camera import Camera, GifFile, PngFolder
from hocket.replays.questioning import Witness
from hocket.replays.rebuilt import Rebuilt
from hocket.replays.rerun import Verdict
from hocket.replays.rerun import rerun as run_again
from hocket.replays.trace import Trace, read_trace
from hocket.runtime.errors import AgentError, MissingError, SettingError
from hocket.runtime.events import SeatChanged
from hocket.runtime.policy import Chooser
from hocket.runtime.seats import Holder


class Modes(StrEnum):
    """What must agree."""

    keyed = "keyed"
    positional = "positional"


class Computers(StrEnum):
    """What computes a language model that is asked again."""

    local = "local"
    onnx = "onnx"


def rerun(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace that `hocket play` recorded.")],
    mode: Annotated[
        Modes, typer.Option(help="keyed: all must agree. positional: behaviour must; menus and prompts may change.")
    ] = Modes.keyed,
    with_model: Annotated[
        bool, typer.Option("--with-model", help="Ask the language models again, and compare what they answer.")
    ] = False,
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="N=AGENT",
            help="With --with-model: who seat N was, where its name does not say so, or it is no language model.",
        ),
    ] = [],  # noqa: B006
    backend: Annotated[
        Computers | None,
        typer.Option(help="With --with-model: what computes models. Default: what the trace names, or torch."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="With --with-model: how far a log-probability may be off. Default: 0 for the same backend and "
            "versions, else 1e-4 in float32."
        ),
    ] = None,
    png: PngFolder = None,
    gif: GifFile = None,
    hz: Annotated[float | None, typer.Option(help="Frames a second of a --gif.  [default: 8]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Run a recorded episode again, without its agents, and compare event by event.

    Exit code 0: it agrees. 1: it parts from the trace; the first event that differs is named.

    \b
    hocket rerun traces/pantry-0.jsonl
    hocket rerun --mode positional --json traces/pantry-0.jsonl
    hocket rerun --with-model --seat 0=llm#adapters/ada@v2 traces/pantry-0.jsonl
    """
    _check_options(mode, seat, backend, tolerance, with_model=with_model)
    recorded, camera = read_trace(trace), Camera(png, gif, hz)
    questions = _Questions(recorded, seat, backend, tolerance) if with_model else None
    with redirect_stdout(sys.stderr), closing(camera):
        verdict = _watched(recorded, mode, {}, camera) if questions is None else questions.put(camera)
    if as_json:
        found = verdict.difference
        typer.echo(
            msgspec.json.encode(
                {
                    "agrees": verdict.agrees,
                    "events": verdict.events,
                    "difference": None if found is None else msgspec.to_builtins(found),
                    "return": sum(verdict.returns),
                    "returns": verdict.returns,
                    "asked": verdict.asked,
                    "notes": verdict.notes,
                }
            )
        )
        return camera.code(0 if verdict.agrees else 1)
    for note in verdict.notes:
        typer.echo(f"note: {note}", err=True)
    for line in camera.lines():
        typer.echo(line)
    if verdict.difference is not None:
        typer.echo(f"{trace} does not agree: {verdict.difference.sentence('in the trace', 'in the rerun')}")
        return camera.code(1)
    again = f"; {verdict.asked} answers given again" if with_model else ""
    typer.echo(f"{trace} agrees: {verdict.events} events, return {sum(verdict.returns):g}{again}")
    return camera.code()


def _check_options(
    mode: Modes, seat: list[str], backend: Computers | None, tolerance: float | None, *, with_model: bool
) -> None:
    if with_model and mode is Modes.positional:
        raise SettingError(setting="--mode", value=mode.value, right="keyed with --with-model")
    for setting, value in (("--seat", seat), ("--backend", backend), ("--tolerance", tolerance)):
        if not with_model and value not in (None, []):
            raise SettingError(setting=setting, value=value, right="left out, or given together with --with-model")
    if tolerance is not None and not 0 <= tolerance < float("inf"):
        raise SettingError(setting="--tolerance", value=tolerance, right="0 or more")


class _Questions:
    """Who is asked again, and what is known of them beforehand."""

    def __init__(self, trace: Trace, seat: list[str], backend: Computers | None, tolerance: float | None) -> None:
        self._trace, self._rebuilt = trace, Rebuilt(trace)
        header, game = trace.header, self._rebuilt.game
        self._recast = Recast(header, game, backend=None if backend is None else backend.value)
        self._tolerance = tolerance
        self._witnesses: dict[tuple[int, str], Witness] = {}
        held = _held(trace)
        for number, spec in parse_seats(seat, game).items():
            holder = self._recast.named(spec, number)
            names = [name for each, name in held if each == number]
            if holder.name not in names:
                right = f"one that has held seat {number}: {', '.join(names)}"
                raise SettingError(setting="--seat", value=f"{number}={holder.name}", right=right)
            self._add(number, holder)
        for number, name in held:
            if name in header.agents and (number, name) not in self._witnesses:
                self._add(number, self._recast.again(name, number))
        if not self._witnesses:
            raise MissingError(
                argument="--seat N=AGENT", what=f"no language model has played in {trace.path}; say who is to be asked"
            )

    def put(self, camera: Camera) -> Verdict:
        """Run the trace again and ask them; where the header names other models of their names, say so instead."""
        other = next(filter(None, (self._recast.difference(name) for _, name in self._witnesses)), None)
        if other is not None:
            return Verdict(0, other, (), tuple(self._rebuilt.notes()))
        verdict = _watched(self._trace, Modes.keyed, self._witnesses, camera)
        wide = {name: each.tolerance for (_, name), each in self._witnesses.items() if each.tolerance}
        notes = [f"log-probabilities of {name} may be off by {most:g}" for name, most in wide.items()]
        return msgspec.structs.replace(verdict, notes=(*verdict.notes, *notes))

    def _add(self, seat: int, holder: Holder) -> None:
        if not isinstance(holder.agent, Chooser):
            problem = "it answers in its own time, and only one that answers at once can be asked again"
            raise AgentError(agent=holder.name, problem=problem)
        most = self._recast.tolerance(holder.name) if self._tolerance is None else self._tolerance
        self._witnesses[seat, holder.name] = Witness(holder.agent, most)


def _held(trace: Trace) -> list[tuple[int, str]]:
    """Who has held which seat, in order of time, each once."""
    changes = [(event.seat, event.holder) for event in trace.events if isinstance(event, SeatChanged)]
    return list(dict.fromkeys([*enumerate(trace.header.seats), *changes]))


def _watched(recorded: Trace, mode: Modes, witnesses: Mapping[tuple[int, str], Witness], camera: Camera) -> Verdict:
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("running it again", total=len(recorded.events))
        return run_again(
            recorded,
            lambda events: progress.update(task, completed=events),
            mode=mode.value,
            witnesses=witnesses,
            wrapped=camera.on,
        )
