"""A folder as one page, put together from its teams, evaluations, certificates and runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hocket.learners.report.canvas import matplotlib_figure
from hocket.learners.report.certificate_chapter import certificate_chapter
from hocket.learners.report.contents import Contents, contents
from hocket.learners.report.evaluation_chapter import evaluation_chapter
from hocket.learners.report.overview import overview
from hocket.learners.report.page import jinja, render
from hocket.learners.report.parts import Chapter, Page
from hocket.learners.report.team_chapter import team_chapter
from hocket.learners.report.teams import Team, teams
from hocket.learners.report.training_chapter import training_chapter
from hocket.replays.statistics import scipy_stats


def report_page(folder: Path) -> bytes:
    """Return the page of a folder: the same bytes for the same files, wherever they are.

    Raises:
        MissingExtraError: what draws, counts or fills in the page is not installed.
        TracePathError: no folder, or one that holds nothing to report.
        TraceError: a trace is damaged.
        FileError: a certificate, an evaluation or a run does not read.
    """
    scipy_stats()
    matplotlib_figure()
    jinja()
    found = contents(folder)
    played = teams(found)
    return render(Page(f"Report: {found.name}", _about(found, played), tuple(_chapters(found, played))))


def _about(found: Contents, played: Sequence[Team]) -> str:
    episodes = sum(len(team.episodes) for team in played)
    counts = (
        (len(played), "team", f" in {episodes} {'episode' if episodes == 1 else 'episodes'}"),
        (len(found.evaluations), "evaluation", ""),
        (len(found.certificates), "certificate", ""),
        (len(found.runs), "training run", ""),
    )
    said = [f"{count} {name}{'s' * (count > 1)}{more}" for count, name, more in counts if count]
    return f'What the folder "{found.name}" holds: {", ".join(said)}. Each return comes with who did what for it.'


def _chapters(found: Contents, played: Sequence[Team]) -> Iterator[Chapter]:
    if played:
        yield Chapter("overview", "Overview", overview(played))
    for number, path in enumerate(found.evaluations, 1):
        yield evaluation_chapter(path, number, found.within(path.parent), played)
    for number, path in enumerate(found.certificates, 1):
        yield certificate_chapter(path, number, found.within(path.parent))
    for team in played:
        yield team_chapter(team)
    for number, run in enumerate(found.runs, 1):
        yield training_chapter(run, number, found.within(run))
