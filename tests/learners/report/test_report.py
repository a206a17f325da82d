"""The page of a folder: what stands on it, and that names on it are text."""

import html
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from tests.learners.report.made import BACKBONE, KITCHEN, certified, evaluated, played, recorded, trained, written

from hocket.learners.cells.pairs import TESTED
from hocket.learners.certify.certificate import Certificate
from hocket.learners.certify.rows import rows as certificate_rows
from hocket.learners.report.report import report_page
from hocket.runtime.errors import FileError
from hocket.runtime.events import EpisodeEnded, Stepped
from hocket.runtime.struct_file import read_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of everything."""
    root = tmp_path_factory.mktemp("reported") / "everything"
    recorded(root / "pantry")
    recorded(root / "kitchen", KITCHEN, count=2)
    certified(root / "certificate")
    evaluated(root / "evaluation")
    trained(root / "run")
    return root


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    """Its page."""
    return report_page(folder).decode()


def chapter(page: str, name: str) -> str:
    """The words of one chapter, without its markup."""
    found = re.search(rf'<section class="chapter" id="{name}".*?(?=<section class="chapter"|</main>)', page, re.DOTALL)
    assert found is not None, name
    text = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", found[0], flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_it_is_the_same_wherever_the_folder_stands(folder: Path, page: str, tmp_path: Path) -> None:
    """No date, no path of this machine."""
    copy = shutil.copytree(folder, tmp_path / "elsewhere" / "everything")

    assert report_page(copy).decode() == page
    assert str(folder.parent) not in page


def test_it_asks_for_nothing(page: str) -> None:
    """All that it refers to stands in it, and its policy forbids the rest."""
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)

    assert policy is not None
    assert policy[1].startswith("default-src &#39;none&#39;;")
    assert re.findall(r'(?:src|href)="(?!#|data:,)([^"]*)"', page) == []
    assert "url(http" not in page


def test_no_name_is_given_twice(page: str) -> None:
    """Links and labels would lead to the first."""
    names = re.findall(r'\sid="([^"]+)"', page)

    assert len(names) == len(set(names)) > 5


def rows(page: str, caption: str) -> list[dict[str, str]]:
    """The rows of a table, each by the names of its columns."""
    found = re.search(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", page, re.DOTALL)
    assert found is not None, caption
    [head, *lines] = [
        [" ".join(html.unescape(cell).split()) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL)]
        for line in re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL)
    ]
    return [dict(zip(head, line, strict=True)) for line in lines]


def test_no_return_stands_alone(page: str) -> None:
    """Each has its interval, or the reason why there is none, and who did what in every column beside it."""
    found = rows(page, "Every result, and who did what")

    assert len(found) == 3
    for row in found:
        assert re.search(r"\[.+, .+\]|no spread|^\S+ 1 episode$", row["team return"]), row
        for column in ("useful work", "doing nothing", "hand-offs", "overlap", "specialisation"):
            assert re.match(r"\d", row[column]), row
    assert "95% percentile bootstrap" in chapter(page, "overview")


def test_who_did_what_is_the_same_wherever_it_stands(page: str) -> None:
    """In the overview, and in the table of the audit below."""
    first = rows(page, "Every result, and who did what")[0]
    [below] = [row for row in rows(page[page.index('id="team-1"') :], "work") if row["what"] == "share of useful work"]

    assert first["useful work"] == f"{below['seat 0']} {below['seat 1']}"


def test_a_team_has_its_audits_figures_and_settings(page: str) -> None:
    """And the reasons of the audits that are not there."""
    [said] = [said for said in (chapter(page, f"team-{each}") for each in (1, 2, 3)) if "ada, bo in pantry" in said]

    for words in ("Return of each episode", "Which options each seat chose", "Where each seat was"):
        assert words in said
    for words in ("share of useful work", "away from chance", "there are no commons in this game"):
        assert words in said
    for words in ("An episode of team", "Settings and digests", "option library", "hocket 0"):
        assert words in said


def test_a_certificate_is_shown_with_its_conditions(folder: Path, page: str) -> None:
    """Verdict, conditions, contributions, and the lines that it hangs on."""
    [path] = folder.rglob("certificate.json")
    kept = read_json(path, Certificate, "certificate")

    said = chapter(page, "certificate-1").replace("&#39;", "'")

    assert kept.sentence in said
    for name, texts in certificate_rows(kept):
        assert " ".join([name, *texts]) in said
    assert "nobody comes with the pantry" in said
    assert "part of the team's return below which a seat cannot do the task alone" in said


def test_an_evaluation_is_shown_with_what_is_published_and_what_is_missing(page: str) -> None:
    """And leads to the team that tells who did what."""
    said = chapter(page, "evaluation-1")

    assert "2.00 ± 1.41 * [1.00, 3.00], 2 episodes paper: 6.80 ± 1.89" in said
    assert said.count("missing: not in the file") == 8
    assert "This is not the paper&#39;s protocol: 2 episodes." in said
    assert re.search(r"seat0@v3 0011223344556677 Team \d", said)
    assert "runs/aa: its training seeds cannot be known" in said


def test_over_training_seeds_there_is_no_interval(tmp_path: Path) -> None:
    """Three means have none, as in the tables of the command; episodes have one, and pairs are tested on them."""
    evaluated(tmp_path / "evaluation", values={"private": [(1.0, 3.0), (3.0, 5.0), (5.0, 7.0)], "frozen": [(0.0, 1.0)]})

    page = report_page(tmp_path).decode()

    over = {row["cell"]: list(row.values())[1] for row in rows(page, "Backbones, over training seeds")}
    pooled = {row["cell"]: list(row.values())[1] for row in rows(page, f"Cells of {BACKBONE}, over episodes")}
    assert over[f"{BACKBONE}: Full method"].startswith("4.00 ± 2.00 * 3 seeds paper: ")
    assert re.match(r"4\.00 ± 2\.10 \* \[.+, .+\], 6 episodes", pooled["Full method"])
    [pair] = rows(page, TESTED)
    assert (pair["cell"], pair["other cell"], pair["difference"]) == ("menu/frozen", "menu/private", "-3.50")
    assert float(pair["p"]) <= float(pair["corrected p"]) < 1


def test_a_training_is_shown_with_who_did_what(page: str) -> None:
    """Its curves, the best round, and what each seat chose in the first and the best."""
    said = chapter(page, "training-1")

    assert "Return by round" in said
    assert "The best round, marked, is 2, with 2.5." in said
    assert "What happens in a rollout" in said
    assert "Entropy of decisions" in said
    assert "What seat 0 chose option round 0 round 2 (best) wait 100% 33%" in said
    assert "Alone, with idle partners: seat 0 0." in said


def test_a_training_that_goes_on_says_so(tmp_path: Path) -> None:
    """Its last line may be half a line."""
    run = trained(tmp_path / "run", over=False)
    with (run / "metrics.jsonl").open("ab") as file:
        file.write(b'{"round": 3, "team_re')

    said = chapter(report_page(run).decode(), "training-1")

    assert "the run is not over" in said
    assert "3 rounds" in said


def test_a_damaged_line_of_a_training_is_named(tmp_path: Path) -> None:
    """Only the last may be cut short; else curves would end where nobody looks."""
    path = trained(tmp_path / "run") / "metrics.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, b"{}\n", *rest]))

    with pytest.raises(FileError, match=r"line 2 of its metrics\.jsonl does not read"):
        report_page(tmp_path)


@pytest.mark.parametrize("name", ["certificate.json", "results.json"])
def test_what_does_not_read_is_named(tmp_path: Path, name: str) -> None:
    """Rather than left out."""
    (tmp_path / name).write_text('{"verdict": 1}')

    with pytest.raises(FileError, match=re.escape(name)):
        report_page(tmp_path)


def test_names_are_text(tmp_path: Path) -> None:
    """Whatever an agent is called, it is called that and nothing else."""
    names = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>")
    written(played("pantry", names), tmp_path / "0.jsonl")

    page = report_page(tmp_path).decode()

    assert "<img" not in page
    assert "alert(2)</script>" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert page.count("<script>") == 1


def test_copies_of_a_trace_are_told(tmp_path: Path) -> None:
    """Else a reader would count files and wonder."""
    recorded(tmp_path / "one", count=1)
    recorded(tmp_path / "two", count=1)

    said = chapter(report_page(tmp_path).decode(), "team-1")

    assert "1 copy of a trace is left out: a copy is no further episode." in said
    assert "one episode, so no interval" in said


def test_twenty_long_episodes_are_a_small_page(tmp_path: Path) -> None:
    """What changes is written down, not every picture."""
    trace = played(KITCHEN, ("ada", "bo"), steps=400)
    for seed in range(20):
        header = msgspec.structs.replace(trace.header, seed=seed)
        written(msgspec.structs.replace(trace, header=header), tmp_path / f"{seed}.jsonl")

    assert len(report_page(tmp_path)) < 1_000_000


def test_seeds_may_lie_far_apart(tmp_path: Path) -> None:
    """What lies between them is counted by nobody."""
    trace = played("pantry", ("ada", "bo"))
    for seed in (5, 2**60):
        header = msgspec.structs.replace(trace.header, seed=seed)
        written(msgspec.structs.replace(trace, header=header), tmp_path / f"{seed}.jsonl")

    found = rows(report_page(tmp_path).decode(), "Settings")

    assert {"setting": "seeds", "value": f"5, {2**60}"} in found


def test_returns_may_be_as_large_as_numbers_are(tmp_path: Path) -> None:
    """They are told, and their mean is no more than they are."""
    for seed in range(3):
        trace = played("pantry", ("ada", "bo"), seed, steps=1)
        events = tuple(
            msgspec.structs.replace(each, rewards=(1e308 / (seed + 1), 0.0)) if isinstance(each, Stepped) else each
            for each in trace.events
            if not isinstance(each, EpisodeEnded)
        )
        written(msgspec.structs.replace(trace, events=events), tmp_path / f"{seed}.jsonl")

    said = chapter(report_page(tmp_path).decode(), "team-1")

    assert "Team return 6.111e+307 [3.333e+307, 1e+308], 3 episodes" in said
    assert "Some are too large to be drawn." in said
