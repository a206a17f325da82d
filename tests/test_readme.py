"""What README and the docs show works as it stands there."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOCKET = str(Path(sys.executable).with_name("hocket"))


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of one language on a page."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def test_readmes_commands_and_agent_work(tmp_path: Path) -> None:
    """A newcomer copies them line by line into an empty folder."""
    [agent] = blocks("README.md", "python")
    (tmp_path / "loader.py").write_text(agent, "utf-8")
    lines = [line for block in blocks("README.md", "sh") for line in block.splitlines() if line.startswith("hocket")]

    told = {}
    for line in lines:
        command = [HOCKET, *shlex.split(line)[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        told[line] = (done.returncode, done.stderr)

    assert len(told) == 6
    assert set(told.values()) == {(0, "")}


def test_the_agents_of_the_docs_play(tmp_path: Path) -> None:
    """The loader earns points with a cook, and the lone cook of the partners' page alone; nothing goes wrong."""
    (tmp_path / "loader.py").write_text(blocks("README.md", "python")[0], "utf-8")
    (tmp_path / "solo.py").write_text(blocks("docs/partners.md", "python")[0], "utf-8")
    teams = (
        "play overcooked:asymmetric_advantages --seat 0=loader:Loader --seat 1=scripted:cook --seed 7 --json",
        "play overcooked:cramped_room --seat 0=solo:Solo --json",
    )

    for team in teams:
        done = subprocess.run([HOCKET, *team.split()], cwd=tmp_path, capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)

        assert told["complaints"] == []
        assert told["return"] >= 100


def test_the_pettingzoo_example_runs() -> None:
    """As it stands on the options' page."""
    [example] = blocks("docs/options.md", "python")

    exec(compile(example, "docs/options.md", "exec"), {})


def test_the_layout_of_the_docs_can_be_played(tmp_path: Path) -> None:
    """A file of one's own, by its path."""
    [layout] = blocks("docs/options.md", "json")
    (tmp_path / "mine.layout").write_text(layout, "utf-8")

    command = [HOCKET, "play", "overcooked:mine.layout", "--seat", "0=scripted:cook", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout)["return"] > 0


def test_every_link_in_the_docs_leads_somewhere() -> None:
    """A page that moved takes its links along."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

    dead = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]

    assert dead == []
