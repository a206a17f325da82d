"""What README and the docs show works as it stands there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOCKET = Path(sys.executable).with_name("hocket")


def test_readmes_commands_and_agent_work(tmp_path: Path) -> None:
    """A newcomer copies them line by line into an empty folder."""
    readme = (ROOT / "README.md").read_text("utf-8")
    [agent] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "loader.py").write_text(agent, "utf-8")
    commands = [shlex.split(line.partition("#")[0])[1:] for line in readme.splitlines() if line.startswith("$ hocket")]

    codes = {}
    for command in commands:
        if command[1] != "diff":
            done = subprocess.run([HOCKET, *command[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
            codes[" ".join(command)] = (done.returncode, done.stderr)

    assert len(codes) == 5
    assert set(codes.values()) == {(0, "")}


def test_readmes_agent_plays(tmp_path: Path) -> None:
    """The ten-line agent and a scripted cook deliver soups together, and nothing goes wrong."""
    readme = (ROOT / "README.md").read_text("utf-8")
    [agent] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "loader.py").write_text(agent, "utf-8")
    command = "play overcooked:asymmetric_advantages --seat 0=loader:Loader --seat 1=scripted:cook --seed 7 --json"

    done = subprocess.run([HOCKET, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert '"complaints":[]' in done.stdout
    assert '"return":0.0' not in done.stdout
    assert len(agent.splitlines()) <= 12


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
