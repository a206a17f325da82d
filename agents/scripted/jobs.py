"""Who does what next: open jobs, given to whoever would be done with them first.

Every cook works this out for the whole team from what all can see, so that two
of a kind agree without a word. Jobs are handed out one by one, the soonest done
first; a cook that was given one is free for the next where and when it ends.
"""

from hocket.agents.scripted.kitchen_map import FAR
from hocket.agents.scripted.passing import way_out
from hocket.agents.scripted.situation import Body, Situation

_DISTRUST = 5
"""Ticks by which others are taken to be slower for each wait of one's own."""
_COMMITTED = 3
"""Waits that count as made by a cook that has just put something down to have its hands free."""
_CUT_OFF = 20
"""Ticks by which a job is put off when others stand in its way."""
_SOON, _LATER = -8, 30


class Job:
    """Bring an item to a pot or window, or start a pot."""

    __slots__ = ("item", "late", "ready", "tile")

    def __init__(self, item: str, tile: int, *, ready: int = 0, late: int = 0) -> None:
        self.item = item
        """Kind of item to be fetched; `nothing` to start the pot with empty hands."""
        self.tile = tile
        """The pot; for a soup, the counter where it lies."""
        self.ready = ready
        """Ticks until it can be finished."""
        self.late = late
        """Ticks by which it may be put off for another job."""

    @property
    def ahead(self) -> bool:
        """Whether it serves a soup that nobody can begin yet."""
        return self.late == _LATER


class _Worker:
    __slots__ = ("body", "tile", "time")

    def __init__(self, body: Body, time: int, tile: int | None) -> None:
        self.body, self.time, self.tile = body, time, tile


def hand_out(now: Situation, *, everyone: bool = False) -> dict[int, tuple[Job, int]]:
    """Return the first job of each seat and the tile to go to first, until the deciding cook, or everyone, has one."""
    jobs = _open_jobs(now)
    workers = [_Worker(body, *_free_at(now, body)) for body in sorted(now.team, key=lambda body: body.seat)]
    given: dict[int, tuple[Job, int]] = {}
    while jobs and (len(given) < len(workers) if everyone else now.me.seat not in given):
        rank, worker, job, first, done = FAR, workers[0], jobs[0], 0, FAR
        for candidate in jobs:
            for other in workers:
                finish, tile = _finish(now, other, candidate)
                if finish + candidate.late < rank:
                    rank, worker, job, first, done = finish + candidate.late, other, candidate, tile, finish
        if rank >= FAR // 2:
            break
        given.setdefault(worker.body.seat, (job, first))
        jobs.remove(job)
        worker.time, worker.tile = done, job.tile
    return given


def _open_jobs(now: Situation) -> list[Job]:
    jobs: list[Job] = []
    for pot in now.pots:
        if pot.startable:
            jobs.append(Job("nothing", pot.cell, late=_SOON))
        elif not pot.idle and now.next_soup:
            jobs.append(Job(now.next_soup[0], pot.cell, ready=pot.left + 4, late=_LATER))
    for pot in now.unplated:
        jobs.append(Job("dish", pot.cell, ready=pot.left))
    for pot, item in now.needs:
        jobs.append(Job(item, pot.cell, late=3 * len(pot.missing)))
    jobs += [Job("soup", cell, late=_SOON) for cell, item in now.counters.items() if item == "soup"]
    return jobs


def _free_at(now: Situation, body: Body) -> tuple[int, int | None]:
    """When a cook's hands come free, and at which tile (None for where it stands)."""
    slow = 0 if body is now.me else _DISTRUST * (now.waits + _COMMITTED * now.put_down)
    if body.held == "nothing":
        return slow, None
    pot = now.claims.get(body.seat)
    windows = now.kitchen.tiles("S", body.room)
    if body.held == "soup" and windows:
        return min((slow + now.ticks(body, tile), tile) for tile in windows)
    if pot is None:
        return slow + 3, None
    if body.held != "dish":
        return slow + now.ticks(body, pot.cell), pot.cell
    plated = slow + max(now.ticks(body, pot.cell), pot.left)
    if not windows:
        return plated + 4, pot.cell
    return min((plated + now.kitchen.between(body.room, pot.cell, tile), tile) for tile in windows)


def _finish(now: Situation, worker: _Worker, job: Job) -> tuple[int, int]:
    """When a worker would be done with a job, and the tile to which it would go first."""
    kitchen, room = now.kitchen, worker.body.room
    if room not in kitchen.rooms_at[job.tile]:
        return FAR, 0
    if job.item == "nothing":
        return worker.time + _leg(now, worker, job.tile), job.tile
    if job.item == "soup":
        return _finish_soup(now, worker, job)
    best, first = FAR, 0
    detour = _CUT_OFF if worker.body is now.me and now.waits > 1 and now.cut_off(job.tile) else 0
    for source in now.sources(job.item, room):
        ticks = _leg(now, worker, source) + kitchen.between(room, source, job.tile)
        if ticks < best:
            best, first = ticks, source
    finish = max(worker.time + best + detour, job.ready)
    windows = kitchen.tiles("S", room) if job.item == "dish" else ()
    return finish + min([kitchen.between(room, job.tile, tile) for tile in windows], default=0), first


def _finish_soup(now: Situation, worker: _Worker, job: Job) -> tuple[int, int]:
    hops, room = now.hops("soup"), worker.body.room
    if hops[room] >= FAR or any(hops.get(other, FAR) < hops[room] for other in now.kitchen.rooms_at[job.tile]):
        return FAR, 0
    if hops[room] and way_out(now, "soup") is None:
        return FAR, 0
    return worker.time + _leg(now, worker, job.tile), job.tile


def _leg(now: Situation, worker: _Worker, tile: int) -> int:
    if worker.tile is None:
        return now.ticks(worker.body, tile)
    return now.kitchen.between(worker.body.room, worker.tile, tile)
