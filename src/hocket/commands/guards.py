"""`hocket guards`: mined from burn-in logs, certified, explained, compared."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hocket.learners.burn_log import Log
from hocket.learners.defects import diagnose as look
from hocket.learners.guard_file import GuardFile, read_guards, write_guards
from hocket.learners.guards import synthesize as mine
from hocket.learners.verify import Check, Record, same_source
from hocket.learners.verify import verify as recount
from hocket.runtime.errors import GuardError
from hocket.runtime.guard import Guard

guards = typer.Typer(no_args_is_help=True, help="Guards: mined from burn-in logs, certified, explained, compared.")

_File = Annotated[Path, typer.Argument(metavar="GUARDS", help="A guard file.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@guards.command()
def synthesize(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A folder that `hocket burn-in` filled.")],
    out: Annotated[Path, typer.Option(metavar="GUARDS", help="The file to write.")],
    min_support: Annotated[int, typer.Option(help="Failures that a guard must explain.")] = 5,
    as_json: _Json = False,
) -> int:
    """Adopt every guard that explains enough failures and hides no logged success.

    \b
    hocket guards synthesize logs/cramped --out cramped.json
    """
    file = mine(Log(log), min_support=min_support)
    write_guards(out, file)
    if as_json:
        typer.echo(msgspec.json.encode({"file": str(out), "guards": len(file.guards), "refused": file.refused}))
        return 0
    typer.echo(f"{out}: {len(file.guards)} guards from {file.log.records} records of {file.game}")
    for each in file.refused:
        guard = Guard(each.option, each.channel, each.when, each.support)
        typer.echo(f"not adopted: {guard.words()} ({each.support} failures): {each.why}")
    return 0


@guards.command()
def verify(
    file: _File,
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="Its own log, and fresh ones.")],
    as_json: _Json = False,
) -> int:
    """Count each guard again: on its own log and on fresh ones it may hide no success.

    Exit code 0: none is hidden. 1: some are; the records are shown.

    \b
    hocket guards verify cramped.json logs/cramped logs/fresh
    """
    checks = recount(read_guards(file), [Log(log) for log in logs])
    hidden = [check for check in checks if not check.holds]
    if as_json:
        typer.echo(msgspec.json.encode({"holds": not hidden, "checks": checks}))
        return 1 if hidden else 0
    for log in dict.fromkeys(check.log for check in checks):
        of_log = [check for check in checks if check.log == log]
        forged = sum(check.forged for check in of_log)
        typer.echo(
            f"{log}: {len(of_log)} guards explain {sum(check.support for check in of_log)} failures "
            f"and hide {sum(check.hidden for check in of_log)} successes"
        )
        if forged:
            typer.echo(f"  and {forged} team successes of options with no private effect, which may be a partner's")
    if not any(check.own for check in checks):
        typer.echo("note: the log that these guards were mined from is not among those given", err=True)
    for check in hidden:
        typer.echo(f"{_fault(check)}:")
        _show(check.examples)
    return 1 if hidden else 0


@guards.command()
def explain(
    file: _File,
    option: Annotated[str, typer.Argument(metavar="OPTION", help="e.g. start_cooking")],
    log: Annotated[Path, typer.Option(metavar="LOG", help="The burn-in log to take examples from.")],
    as_json: _Json = False,
) -> int:
    """Say why instances of an option are hidden, and show the records that did it.

    \b
    hocket guards explain cramped.json start_cooking --log logs/cramped
    """
    content = read_guards(file)
    burned = Log(log)
    same_source(content, burned)
    if option not in [each.name for each in burned.manifest.options]:
        known = ", ".join(each.name for each in burned.manifest.options)
        raise GuardError(guard=option, problem=f"there is no such option (there are {known})")
    checks = [check for check in recount(content, [burned]) if check.guard.option == option]
    if as_json:
        typer.echo(msgspec.json.encode({"option": option, "checks": checks}))
        return 0
    if not checks:
        typer.echo(f"no guard hides {option}")
    for check in checks:
        typer.echo(f"{_reason(check)}:")
        _show(check.examples)
    return 0


@guards.command()
def diff(
    one: Annotated[Path, typer.Argument(metavar="A", help="A guard file.")],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    as_json: _Json = False,
) -> int:
    """Compare two guard files: which guards only one of them has.

    Exit code 0: the same guards, whatever their support. 1: not.

    \b
    hocket guards diff cramped.json other.json
    """
    left, right = _by_words(read_guards(one)), _by_words(read_guards(other))
    only_one = [words for words in left if words not in right]
    only_other = [words for words in right if words not in left]
    if as_json:
        told = {"equal": not only_one and not only_other, "only_a": only_one, "only_b": only_other}
        typer.echo(msgspec.json.encode(told))
    else:
        for words in only_one:
            typer.echo(f"only in {one}: {words} ({left[words].support} failures)")
        for words in only_other:
            typer.echo(f"only in {other}: {words} ({right[words].support} failures)")
        if not only_one and not only_other:
            typer.echo(f"the same {len(left)} guards")
    return 1 if only_one or only_other else 0


@guards.command()
def diagnose(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A folder that `hocket burn-in` filled.")],
    as_json: _Json = False,
) -> int:
    """Find what no sound option contract can produce, and say which part of it to mend.

    Exit code 0: nothing is wrong. 1: something is.

    \b
    hocket guards diagnose logs/cramped
    """
    found = look(Log(log))
    if as_json:
        typer.echo(msgspec.json.encode({"sound": not found, "defects": found}))
        return 1 if found else 0
    for defect in found:
        typer.echo(f"{defect.option}: {defect.kind}; mend its {defect.part}: {defect.problem}")
        _show(defect.records)
    if not found:
        typer.echo("nothing that a sound contract could not produce")
    return 1 if found else 0


def _by_words(file: GuardFile) -> dict[str, Guard]:
    return {guard.words(): guard for guard in file.guards}


def _fault(check: Check) -> str:
    if check.hidden:
        return f"does not hold: {check.guard.words()} hides {check.hidden} successes of {check.log}"
    return (
        f"does not hold: {check.guard.words()} says that it explains {check.guard.support} failures of {check.log}, "
        f"but explains {check.support}"
    )


def _reason(check: Check) -> str:
    if not check.holds:
        return _fault(check)
    return f"hidden: {check.guard.words()}, since {check.support} such executions failed and none succeeded"


def _show(records: tuple[Record, ...]) -> None:
    for each in records:
        read = ", ".join(f"{name} {value}" for name, value in each.features.items())
        kind = "solo" if each.solo else "team"
        where = f"episode {each.episode} ({kind}), tick {each.step}, seat {each.seat}"
        typer.echo(f"  {where}: {each.target} with {read}: {each.outcome}")
