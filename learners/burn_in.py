"""Burn-in: uniform play over the unguarded menu, every executed option recorded.

No letters and no trace are needed. A choice from a menu of one is no decision and is not recorded as one.
What is timed out is recorded as that; what the end of an episode cuts off is not
recorded at all.

Source: section 5.1, stage 2, of the PA-MAGRPO paper. Deviation: starts are drawn
from the seed (`varied`) unless asked otherwise; from the standard start alone, no
lone cook on forced_coordination ever starts a pot.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context, parent_process
from signal import SIG_IGN, SIGINT, signal
from threading import Thread, current_thread, main_thread
from typing import Any

from hocket.learners.burn_log import (
    SCHEMA,
    Log,
    Manifest,
    logged_options,
)
from hocket.learners.burn_player import ChunkPlayer
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import LogError, SettingError
from hocket.runtime.game import Game, read_starts
from hocket.runtime.option import Library
from hocket.runtime.seed import Streams

MOST_EPISODES = 10_000_000


def manifest(
    game: Game[Any], library: Library[Any], *, seed: int, solo: int, team: int, steps: int, starts: str, policy: str
) -> Manifest:
    """Write down what a burn-in depends on.

    Raises:
        SettingError: no or too many episodes, episodes of no or too great a length, a seed that
            is none, starts that are none, or an unknown policy.
    """
    Streams(seed)
    read_starts(starts, seed)
    if min(solo, team) < 0 or solo + team < 1:
        raise SettingError(
            setting="episodes", value=f"{solo} solo, {team} team", right="0 or more each, and one at least"
        )
    if solo + team > MOST_EPISODES:
        raise SettingError(setting="episodes", value=solo + team, right=f"{MOST_EPISODES:,} at most")
    if not 0 < steps < 2**16:
        raise SettingError(setting="steps", value=steps, right="1 to 65,535")
    if policy not in ("uniform", "narrow"):
        raise SettingError(setting="policy", value=policy, right="uniform or narrow")
    mark = LibraryMark(library.name, library.version, library.digest)
    return Manifest(SCHEMA, game.spec, mark, logged_options(library), policy, seed, solo, team, steps, starts)


def burn_in(log: Log, *, jobs: int = 1, progress: Callable[[int], object] = lambda episodes: None) -> None:
    """Play what is missing of a log and write it.

    Args:
        log: begun by `Log.begin`.
        jobs: processes to play in; the log is the same whatever their number.
        progress: called with the number of episodes of each chunk that is written.

    Raises:
        SettingError: no jobs, or more targets, seats or features than a log can number.
        LogError: the log cannot be written, is of a library that is not the installed one, or a
            process was killed.
        EpisodeError: the game or the option library failed.
    """
    if jobs < 1:
        raise SettingError(setting="jobs", value=jobs, right="1 or more")
    missing = log.missing()
    lacking = frozenset(missing)
    for chunk in range(log.manifest.chunks):
        if chunk not in lacking:
            progress(len(log.manifest.episodes(chunk)))
    if jobs == 1 or len(missing) < 2:
        player = ChunkPlayer(log)
        for chunk in missing:
            log.write(chunk, player.chunk(chunk))
            progress(len(log.manifest.episodes(chunk)))
        return
    _share_out(log, missing, min(jobs, len(missing)), progress)


def _share_out(log: Log, missing: Sequence[int], jobs: int, progress: Callable[[int], object]) -> None:
    """Have chunks written by several processes; after a failure or an interrupt, no chunk is begun any more."""
    path = os.fspath(log.path)
    with ProcessPoolExecutor(jobs, get_context("spawn"), _be_a_worker) as pool:
        try:
            with _interrupts_ignored():
                chunks = {pool.submit(_write_chunk, path, chunk): chunk for chunk in missing}
            for done in as_completed(chunks):
                done.result()
                progress(len(log.manifest.episodes(chunks[done])))
        except BrokenProcessPool as error:
            problem = "is not whole: a process that played was killed; the same command goes on with it"
            raise LogError(log=log.path, problem=problem) from error
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let the processes that are started meanwhile ignore interrupts from their first instruction on."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal(SIGINT, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGINT, before)


def _be_a_worker() -> None:
    """End when the parent does, however it ends."""
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _write_chunk(path: str, chunk: int) -> None:
    log, player = _opened(path)
    log.write(chunk, player.chunk(chunk))


@cache
def _opened(path: str) -> tuple[Log, ChunkPlayer]:
    """Look log and library up, once a process."""
    log = Log(path)
    return log, ChunkPlayer(log)
