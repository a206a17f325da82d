"""Every error that hocket raises on purpose, as one tree.

    HocketError                 one sentence for the person who ran it
    ├── UsageError              the caller got something wrong
    │   ├── SettingError        a value that makes no sense here
    │   ├── MissingError        an argument that a command cannot do without
    │   ├── UnknownNameError    no such game, layout, agent, library
    │   ├── SeatError           no such seat, or a seat named twice
    │   ├── AgentError          an agent that cannot be loaded
    │   ├── LayoutError         a kitchen that cannot be played
    │   ├── GuardError          a guard that does not fit the option library
    │   ├── LogError            a folder that is not a whole burn-in log, or not of one kind with another
    │   ├── MissingExtraError   a package of an optional extra is not installed
    │   ├── SubstratesError     the Melting Pot substrates are not installed, or cannot be
    │   ├── ModelError          a language model that cannot be used
    │   ├── AdapterError        an adapter that does not go with its base
    │   ├── PromptError         a prompt that the model cannot take
    │   ├── CohortError         rollouts that cannot be compared
    │   ├── ProfileError        a fault profile that does not read
    │   ├── PresetError         a training preset that does not read, or that cannot be gone on with
    │   ├── FileError           a file or folder that cannot be read or written, or does not read as what it is
    │   ├── TraceError          a file that is not a whole trace
    │   ├── TracePathError      a place where no trace can be written or read
    │   ├── FilmError           frames that cannot be written, or not where they were to go
    │   ├── PortError           an address that cannot be listened on
    │   ├── DecisionError       a decision that a trace does not have
    │   ├── SnapshotError       two tests that would keep their traces in one file
    │   └── CassetteError       a file that is no whole cassette, or not one for these seats
    ├── CassetteMissError       a question that a cassette holds no reply to
    ├── ServerError             a model server that does not answer, or answers nonsense
    │   ├── RefusedError        it has answered, and will not do what it was asked
    │   └── UnknownAdapterError it has no adapter of that name
    ├── WorldError              a Melting Pot world that cannot be built, or whose process has ended
    ├── TableError              somebody else's table that cannot be played at
    ├── AdapterMismatchError    an answer that is not from the adapter that was asked
    ├── ReceiptError            a decision that the adapter that is trained did not make
    ├── TrainingError           a training that cannot go on; the last good adapters are kept
    └── EpisodeError            recorder, bus, game or scheduler failed in mid-episode
        ├── BusError            a mailbox overflowed, or a message came after the stop
        ├── ClockError          a call was asked for in the past
        └── SchedulerError      a driver broke the order of due, choose and tick

Bugs keep Python's own types. An error takes its facts by keyword, keeps them as
attributes and writes its own sentence. The file is long, since the tree is one.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class HocketError(Exception):
    """Anything that hocket raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        """Let an error with facts by keyword travel between processes."""
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[HocketError], args: tuple[object, ...], facts: dict[str, object]) -> HocketError:
    error = kind.__new__(kind, *args)
    vars(error).update(facts)
    return error


class UsageError(HocketError):
    """The caller got something wrong; exit code 2."""


class SettingError(UsageError):
    """A setting whose value makes no sense."""

    def __init__(self, *, setting: str, value: object, right: str) -> None:
        self.setting, self.value, self.right = setting, value, right
        shown = repr(value)
        shown = shown if len(shown) <= 80 else f"{shown[:60]}... ({len(shown)} characters)"
        super().__init__(f"{setting} is {shown}, but must be {right}")


class MissingError(UsageError):
    """Something that a command cannot do without was not given."""

    def __init__(self, *, argument: str, what: str) -> None:
        self.argument, self.what = argument, what
        super().__init__(f"{argument} is missing: {what}")


class UnknownNameError(UsageError):
    """A name that nothing answers to."""

    def __init__(self, *, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        nearest = get_close_matches(name, self.known, n=3, cutoff=0.5)
        listed = ", ".join(nearest or self.known[:12])
        more = f" and {len(self.known) - 12} more" if not nearest and len(self.known) > 12 else ""
        hint = f"nearest: {listed}" if nearest else f"known: {listed}{more}"
        super().__init__(f"there is no {kind} {name!r} ({hint})")


class SeatError(UsageError):
    """A seat that the game does not have, or that was named twice."""

    def __init__(self, *, seat: object, game: str, seats: int, problem: str) -> None:
        self.seat, self.game, self.seats, self.problem = seat, game, seats, problem
        super().__init__(f"seat {seat} {problem}: {game} has seats 0 to {seats - 1}")


class AgentError(UsageError):
    """An agent's name that leads to nothing that can play."""

    def __init__(self, *, agent: str, problem: str) -> None:
        self.agent, self.problem = agent, problem
        super().__init__(f"agent {agent!r}: {problem}")


class LayoutError(UsageError):
    """A kitchen that cannot be played."""

    def __init__(self, *, layout: str, problem: str) -> None:
        self.layout, self.problem = layout, problem
        super().__init__(f"layout {layout}: {problem}")


class GuardError(UsageError):
    """A guard that does not fit the option library, or a file that holds no guards."""

    def __init__(self, *, guard: str, problem: str) -> None:
        self.guard, self.problem = guard, problem
        super().__init__(f"guard on {guard}: {problem}")


class LogError(UsageError):
    """A folder that is not a whole burn-in log, or that does not go with another."""

    def __init__(self, *, log: Path | str, problem: str) -> None:
        self.log, self.problem = Path(log), problem
        super().__init__(f"burn-in log {log}: {problem}")


class MissingExtraError(UsageError):
    """A package that only an optional extra installs."""

    def __init__(self, *, extra: str, needed_for: str) -> None:
        self.extra, self.needed_for = extra, needed_for
        super().__init__(f"{needed_for} needs the extra {extra!r}: pip install 'hocket[{extra}]'")


class SubstratesError(UsageError):
    """The Melting Pot substrates are not installed, not whole, or cannot be had."""

    def __init__(self, *, problem: str) -> None:
        self.problem = problem
        super().__init__(f"the Melting Pot substrates {problem}")


class ModelError(UsageError):
    """A language model that cannot be used."""

    def __init__(self, *, model: str, problem: str) -> None:
        self.model, self.problem = model, problem
        super().__init__(f"model {model}: {problem}")


class AdapterError(UsageError):
    """An adapter that cannot be used, or not with this base."""

    def __init__(self, *, adapter: str, problem: str) -> None:
        self.adapter, self.problem = adapter, problem
        super().__init__(f"adapter {adapter}: {problem}")


class PromptError(UsageError):
    """A prompt or a menu that a model cannot take."""

    def __init__(self, *, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


class CohortError(UsageError):
    """Rollouts that cannot be compared with one another."""

    def __init__(self, *, problem: str) -> None:
        self.problem = problem
        super().__init__(f"cohort: {problem}")


class ProfileError(UsageError):
    """A fault profile that cannot be used."""

    def __init__(self, *, profile: str, problem: str) -> None:
        self.profile, self.problem = profile, problem
        super().__init__(f"fault profile {profile}: {problem}")


class PresetError(UsageError):
    """A training preset, or a run of one, that cannot be used."""

    def __init__(self, *, preset: str, problem: str) -> None:
        self.preset, self.problem = preset, problem
        super().__init__(f"{preset}: {problem}")


class FileError(UsageError):
    """A file or folder that cannot be read or written, or does not read as what it should be."""

    def __init__(self, *, path: Path | str, problem: str) -> None:
        self.path, self.problem = Path(path), problem
        super().__init__(f"{path}: {problem}")


class TraceError(UsageError):
    """A file that is not a whole trace; says which event, and where it can, which field."""

    def __init__(
        self,
        *,
        path: Path | str,
        problem: str,
        number: int | None = None,
        tick: int | None = None,
        field: str | None = None,
    ) -> None:
        self.path, self.problem = Path(path), problem
        self.number, self.tick, self.field = number, tick, field
        where = "" if number is None else f", event {number}"
        where += "" if tick is None else f" (tick {tick})"
        where += "" if field is None else f", field {field}"
        super().__init__(f"{path}{where}: {problem}")


class TracePathError(UsageError):
    """A place where no trace can be written or read."""

    def __init__(self, *, path: Path | str, problem: str) -> None:
        self.path, self.problem = Path(path), problem
        super().__init__(f"{path}: {problem}")


class FilmError(UsageError):
    """A film that cannot be written where it was to go, or not to its end."""

    def __init__(self, *, path: Path | str, problem: str) -> None:
        self.path, self.problem = Path(path), problem
        super().__init__(f"{path}: {problem}")


class PortError(UsageError):
    """An address that cannot be listened on."""

    def __init__(self, *, host: str, port: int, problem: str) -> None:
        self.host, self.port, self.problem = host, port, problem
        super().__init__(f"port {port} of {host} cannot be listened on: {problem}; --port 0 takes any that is free")


class DecisionError(UsageError):
    """A decision that a trace does not have; says how many it has, or one seat of it."""

    def __init__(
        self, *, decision: str, trace: Path | str, count: int, seat: int | None = None, torn: int | None = None
    ) -> None:
        self.decision, self.trace, self.count, self.seat, self.torn = decision, Path(trace), count, seat, torn
        who, prefix, other = ("it", "", ", or SEAT:NUMBER") if seat is None else (f"seat {seat}", f"{seat}:", "")
        has = f"{count}, {prefix}0 to {prefix}{count - 1}{other}" if count else "none"
        cut = "" if torn is None else f"; it was cut after event {torn}"
        super().__init__(f"{trace} has no decision {decision}: {who} has {has}{cut}")


class SnapshotError(UsageError):
    """Two tests, or two names of one test, whose traces would be kept in one file."""

    def __init__(self, *, path: Path | str, tests: tuple[str, str]) -> None:
        self.path, self.tests = Path(path), tests
        super().__init__(f"{tests[0]} and {tests[1]} would both keep their trace in {path}: rename one of them")


class CassetteError(UsageError):
    """A file that is no whole cassette, or that cannot be used as it is asked to; says which line, where it can."""

    def __init__(self, *, path: Path | str, problem: str, line: int | None = None) -> None:
        self.path, self.problem, self.line = Path(path), problem, line
        super().__init__(f"cassette {path}{'' if line is None else f', line {line}'}: {problem}")


class CassetteMissError(HocketError):
    """A question that a cassette holds no reply to; below the sentence, how the nearest recording differs."""

    def __init__(self, *, path: Path | str, seat: int, decision: int, problem: str, difference: str = "") -> None:
        self.path, self.seat, self.decision = Path(path), seat, decision
        self.problem, self.difference = problem, difference
        sentence = f"cassette {path} has no reply for decision {decision} of seat {seat}: {problem}"
        super().__init__(f"{sentence}\n{difference}" if difference else sentence)


class ServerError(HocketError):
    """A model server that does not answer, or whose answer makes no sense."""

    def __init__(self, *, server: str, problem: str) -> None:
        self.server, self.problem = server, problem
        super().__init__(f"model server {server}: {problem}")


class RefusedError(ServerError):
    """A model server that will not do what it was asked; asking again changes nothing."""


class UnknownAdapterError(ServerError):
    """An adapter that the server does not have, perhaps because it was started anew: load it and ask again."""

    def __init__(self, *, server: str, adapter: str) -> None:
        self.adapter = adapter
        super().__init__(server=server, problem=f"it has no adapter {adapter!r}")


class WorldError(HocketError):
    """A Melting Pot world that cannot be built, or whose process has ended."""

    def __init__(self, *, problem: str) -> None:
        self.problem = problem
        super().__init__(f"the Melting Pot world: {problem}")


class TableError(HocketError):
    """Somebody else's table that cannot be reached, or that has sent us away."""

    def __init__(self, *, table: str, problem: str) -> None:
        self.table, self.problem = table, problem
        super().__init__(f"the table at {table}: {problem}")


class AdapterMismatchError(HocketError):
    """An answer that is not from the adapter that was asked; it is never passed on as a decision."""

    def __init__(self, *, adapter: str, problem: str) -> None:
        self.adapter, self.problem = adapter, problem
        super().__init__(f"adapter {adapter}: {problem}")


class ReceiptError(HocketError):
    """A decision that was not made by the adapter that is to learn from it."""

    def __init__(self, *, seat: int, decision: int, seed: int, problem: str) -> None:
        self.seat, self.decision, self.seed, self.problem = seat, decision, seed, problem
        super().__init__(f"decision {decision} of seat {seat} in the rollout of seed {seed} {problem}")


class TrainingError(HocketError):
    """A training that cannot go on."""

    def __init__(self, *, problem: str) -> None:
        self.problem = problem
        super().__init__(f"training stopped: {problem}")


class EpisodeError(HocketError):
    """A part of the runtime failed, so the episode ended; the trace so far is kept."""

    def __init__(self, *, part: str, tick: int, problem: str, sentence: str | None = None) -> None:
        self.part, self.tick, self.problem = part, tick, problem
        super().__init__(sentence or f"the {part} failed at tick {tick}: {problem}")


class BusError(EpisodeError):
    """A mailbox whose policy is to fail was full, or a message came after the stop."""

    def __init__(self, *, message: str, mailbox: str, problem: str, tick: int = -1) -> None:
        self.message, self.mailbox = message, mailbox
        super().__init__(part="bus", tick=tick, problem=problem, sentence=f"{message} for {mailbox}: {problem}")


class ClockError(EpisodeError):
    """A call was asked for at a tick that has passed."""

    def __init__(self, *, now: int, asked: int) -> None:
        self.now, self.asked = now, asked
        sentence = f"a call was asked for tick {asked}, but it is tick {now}"
        super().__init__(part="clock", tick=now, problem="asked for the past", sentence=sentence)


class SchedulerError(EpisodeError):
    """A driver called the scheduler out of order."""

    def __init__(self, *, seat: int, tick: int, problem: str) -> None:
        self.seat = seat
        sentence = f"seat {seat} at tick {tick}: {problem}"
        super().__init__(part="scheduler", tick=tick, problem=problem, sentence=sentence)
