"""People play in a real browser: by keyboard, by mouse, alone and in two.

Needs Debian's chromium, which CI installs; where it is missing, these are skipped.
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from tests.browser.table import ARGUMENTS, CHROMIUM, Choose, by_key, by_mouse, serving, wish

from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, read_trace
from hocket.runtime.events import GameEvent, SeatChanged, Stepped

pytestmark = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="chromium is not installed")

SOUP = (
    "deliver the held soup",
    "plate the soup",
    "put the held ingredient into the pot",
    "start cooking the pot",
)
HANDS = ("pick up an onion",)
KEPT = os.environ.get("HOCKET_SCREENSHOTS")
"""A folder for what the pages look like."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all pages."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def pages(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[[str], Page]]:
    """Open pages; none may leave an error in its console."""
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800})

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and "WebSocket connection" not in message.text:  # the server has been stopped
            errors.append(message.text)

    def opened(link: str) -> Page:
        page = context.new_page()
        page.on("console", heard)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(link)
        return page

    yield opened
    context.close()
    assert errors == []


def trace(folder: Path) -> Trace:
    """The one trace of a folder."""
    [path] = (folder / "traces").glob("*.jsonl")
    return read_trace(path)


def happened(recorded: Trace, kind: str) -> list[GameEvent]:
    """Game events of a kind."""
    return [
        event for step in recorded.events if isinstance(step, Stepped) for event in step.events if event.kind == kind
    ]


def until(page: Page, choose: Choose, wishes: Callable[[], Sequence[str]], done: Callable[[], bool]) -> None:
    """Choose what one wishes for whenever there is a menu, until it is done; a minute at most."""
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, page.locator("main").all_inner_texts()
        found = wish(page, wishes())
        try:
            if found is not None:
                choose(page, *found)
            page.wait_for_timeout(30)
        except PlaywrightError:
            continue  # the menu has changed under the hand


def score(page: Page) -> int:
    """What stands beside the picture."""
    return int(re.sub(r"\D", "", page.locator("#score").inner_text()) or 0)


class Cook:
    """What a person wishes for who makes one soup after the other."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def __call__(self) -> Sequence[str]:
        """Fill the pot, start it, take a dish, plate, deliver."""
        said = self._page.locator("#situation").text_content() or ""
        ready = "done" in said or "ready" in said or "cooking" in said or "cooks" in said
        hands = ("pick up a dish", *HANDS) if ready and "dish" not in said.split(".")[0] else HANDS
        return (*SOUP[:3], *(("start cooking the pot",) if "3 of 3" in said or "full" in said else ()), *hands, "wait")


@pytest.mark.parametrize("choose", [by_key, by_mouse], ids=["keyboard", "mouse"])
def test_a_person_cooks_with_a_script(pages: Callable[[str], Page], tmp_path: Path, choose: Choose) -> None:
    """And delivers a soup, which is the seat's own event in a trace that agrees with its rerun."""
    words = ("--seat", "0=human", "--seat", "1=scripted:cook", "--hz", "24", "--steps", "1500")
    with serving(tmp_path, "overcooked:asymmetric_advantages", *words) as links:
        page = pages(links["seat 0"])
        page.locator("#board").wait_for()
        cook = Cook(page)

        def delivered() -> bool:
            page.wait_for_timeout(5)
            recorded = _so_far(tmp_path)
            return any(event.seat == 0 for event in happened(recorded, "delivered")) if recorded else False

        until(page, choose, cook, delivered)
        assert score(page) >= 20

    recorded = trace(tmp_path)
    assert rerun(recorded).agrees
    assert recorded.header.seats == ("human", "scripted:cook")


def _so_far(folder: Path) -> Trace | None:
    """The trace as it stands, in mid-episode."""
    try:
        return trace(folder)
    except ValueError:
        return None


def test_two_people_hand_over_an_onion(pages: Callable[[str], Page], tmp_path: Path) -> None:
    """On forced_coordination, two pages, one counter."""
    words = ("--seat", "0=human", "--seat", "1=human", "--hz", "24", "--steps", "1500")
    with serving(tmp_path, "overcooked:forced_coordination", *words) as links:
        first, second = pages(links["seat 0"]), pages(links["seat 1"])
        first.locator("#board").wait_for()
        first.wait_for_timeout(1000)
        giver, taker = (first, second) if wish(first, HANDS) else (second, first)

        def put_down() -> bool:
            recorded = _so_far(tmp_path)
            return bool(recorded and any(event.what == "onion" for event in happened(recorded, "put_down")))

        def taken() -> bool:
            recorded = _so_far(tmp_path)
            return bool(recorded and any(event.what == "onion" for event in happened(recorded, "took")))

        until(giver, by_key, lambda: ("put the held item down on the counter @ (2,", "pick up an onion"), put_down)
        until(taker, by_mouse, lambda: ("pick up the onion from the counter @ (2,",), taken)

    recorded = trace(tmp_path)
    given, got = happened(recorded, "put_down")[0], happened(recorded, "took")[0]
    assert rerun(recorded).agrees
    assert given.at == got.at
    assert {given.seat, got.seat} == {0, 1}


def test_a_page_is_closed_and_comes_back(pages: Callable[[str], Page], tmp_path: Path) -> None:
    """The seat stands still, goes to the fallback, and is given back."""
    words = ("--seat", "0=human", "--seat", "1=scripted:cook", "--hz", "20", "--grace", "0.5", "--fallback", "random")
    with serving(tmp_path, "overcooked:asymmetric_advantages", *words, "--steps", "2000") as links:
        page, watcher = pages(links["seat 0"]), pages(links["watcher"])
        page.locator("#menu button").first.wait_for()
        page.close()
        holder = watcher.locator("#seat-0 .holder")
        expect(holder).to_contain_text("random", timeout=15_000)
        again = pages(links["seat 0"])
        expect(holder).to_contain_text("human", timeout=15_000)
        again.locator("#menu button").first.wait_for()

    recorded = trace(tmp_path)
    changes = [(event.was, event.holder) for event in recorded.events if isinstance(event, SeatChanged)]
    assert changes == [("human", "random"), ("random", "human")]
    assert rerun(recorded).agrees


def test_a_watcher_has_nothing_to_press(pages: Callable[[str], Page], tmp_path: Path) -> None:
    """Neither a menu nor a pause."""
    with serving(tmp_path, "pantry", "--seat", "0=human", "--seat", "1=random", "--hz", "20") as links:
        seat, watcher = pages(links["seat 0"]), pages(links["watcher"])
        seat.locator("#menu button").first.wait_for()

        assert watcher.locator("#menu button:visible").count() == 0
        assert not watcher.locator("#pause").is_visible()
        assert "watching" in watcher.locator("#role").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["laptop", "phone"])
@pytest.mark.parametrize("game", ["overcooked:cramped_room", "cleanup"])
def test_nobody_is_shut_out(browser: Browser, tmp_path: Path, game: str, size: tuple[int, int], scheme: Any) -> None:
    """No violation that axe knows of, and nothing to scroll sideways for; a picture is kept."""
    with serving(tmp_path, game, "--seat", "0=human", "--hz", "10") as links:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        page = context.new_page()
        page.goto(links["seat 0"])
        page.locator("#menu button").first.wait_for()
        page.wait_for_timeout(200)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        found = Axe().run(page)
        picture = page.screenshot()
        if KEPT:
            Path(KEPT, f"{game.replace(':', '-')}-{size[0]}-{scheme}.png").write_bytes(picture)
        context.close()

    assert found.violations_count == 0, found.generate_report()
    assert wide <= 0
    assert len(picture) > 10_000


def test_what_people_write_is_never_read_as_a_page(pages: Callable[[str], Page], tmp_path: Path) -> None:
    """A name with tags in it is shown as it stands."""
    tags = "<img src=x onerror=document.title='taken'>"
    with serving(tmp_path, "pantry", "--seat", "0=human", "--seat", "1=random", "--hz", "10") as links:
        seat, host = pages(links["seat 0"]), pages(links["host"])
        seat.locator("#menu button").first.wait_for()
        host.locator("#agent-1").fill(tags)
        host.locator("#agent-1").press("Enter")
        expect(host.locator("#notice")).to_contain_text("<img", timeout=5000)

        assert host.locator("#notice img").count() == 0
        assert host.title() != "taken"


def test_the_host_hands_out_the_seats(pages: Callable[[str], Page], tmp_path: Path) -> None:
    """A lobby: the host's page has the link of every seat; who opens one sits there, and the episode begins."""
    words = ("--seat", "0=human", "--seat", "1=human", "--hz", "10")
    with serving(tmp_path, "overcooked:cramped_room", *words) as links:
        host = pages(links["host"])
        expect(host.locator("#phase")).to_contain_text("Waiting for seats 0, 1")
        found = [host.locator(f"#seat-{seat} .link a").get_attribute("href") for seat in (0, 1)]
        first, second = (pages(str(link)) for link in found)
        first.locator("#menu button").first.wait_for()

        assert found == [links["seat 0"], links["seat 1"]]
        assert host.locator("#watch a").get_attribute("href") == links["watcher"]
        assert "You are seat 1" in second.locator("#role").inner_text()
        expect(host.locator("#phase")).to_contain_text("Playing")
        assert first.locator(".link").count() == 0
        assert Axe().run(host).violations_count == 0
