"""A served game in another process, and a page as a person uses it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from playwright.sync_api import Page

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
_NAME = re.compile(r"^([A-Z]+) (.*)$")


@contextmanager
def serving(folder: Path, game: str, *words: str) -> Iterator[dict[str, str]]:
    """Run `hocket serve`; return its links by who they are for: `seat 0`, `watcher`, `host`."""
    command = [str(Path(sys.executable).with_name("hocket")), "serve", game, *words, "--port", "0", "--json"]
    environment = dict(os.environ, PYTHONSAFEPATH="1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment) as server:
        assert server.stdout is not None
        links = msgspec.json.decode(server.stdout.readline())["links"]
        try:
            yield {f"seat {each['seat']}" if each["role"] == "seat" else each["role"]: each["url"] for each in links}
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)


def entries(page: Page) -> dict[str, str]:
    """The menu that can be chosen from now: letters by words; empty while an option is carried out."""
    found = {}
    names: list[str] = page.eval_on_selector_all(
        "#menu button", "all => all.filter(b => b.getAttribute('aria-disabled') != 'true').map(b => b.textContent)"
    )
    for name in names:
        matched = _NAME.match(" ".join(name.split()))
        if matched is None:
            matched = re.match(r"^([A-Z]+?)(?=[a-z])\s*(.*)$", name)
        if matched is not None:
            found[matched[2]] = matched[1]
    return found


def wish(page: Page, wishes: Sequence[str]) -> tuple[str, str] | None:
    """The first wish that the menu grants: words and letter."""
    menu = entries(page)
    for each in wishes:
        for words, letter in menu.items():
            if words.startswith(each):
                return words, letter
    return None


def by_key(page: Page, words: str, letter: str) -> None:
    """Choose as one does without a mouse."""
    page.keyboard.press(letter.lower())


def by_mouse(page: Page, words: str, letter: str) -> None:
    """Choose by a click on the entry."""
    page.get_by_role("button", name=f"{letter} {words}", exact=True).click(timeout=1000)


Choose = Callable[[Page, str, str], None]
