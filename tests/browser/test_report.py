"""A report in a real browser: three widths, day and night, no mouse, no script, paper.

Needs Debian's chromium, which CI installs; where it is missing, these are skipped.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
from tests.browser.table import ARGUMENTS, CHROMIUM
from tests.learners.report.made import KITCHEN, certified, evaluated, played, recorded, trained, written

from hocket.learners.report.report import report_page

pytestmark = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="chromium is not installed")

KEPT = os.environ.get("HOCKET_SCREENSHOTS")
"""A folder for what the pages look like."""
NAMES = ("<img src=x onerror=document.title='taken'>", "</script><script>document.title='taken'</script>")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of one of everything, with names that would like to be markup."""
    folder = tmp_path_factory.mktemp("reported") / "everything"
    for seed in range(3):
        written(played(KITCHEN, ("ada", "bo"), seed, steps=200), folder / "kitchen" / f"{seed}.jsonl")
    recorded(folder / "pantry", names=NAMES, count=1)
    certified(folder / "certificate")
    evaluated(folder / "evaluation", count=0)
    trained(folder / "run", rounds=8)
    (folder / "report.html").write_bytes(report_page(folder))
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all pages."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


def opened(context: BrowserContext, path: Path) -> tuple[Page, list[str]]:
    """Open the page; what it asks for, and whatever its console says, is heard."""
    page, heard = context.new_page(), list[str]()
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url))
    page.goto(path.as_uri())
    return page, heard


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Page]:
    """The page on a laptop; it may not ask for anything, nor leave a word in its console."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, heard = opened(context, path)
    yield page
    context.close()
    assert heard == [path.as_uri()]


def kitchen(page: Page) -> Locator:
    """The episode of the two cooks."""
    return page.locator(".story").filter(has_text="kitchen/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 768, 390])
def test_nobody_is_shut_out(browser: Browser, path: Path, width: int, scheme: Any) -> None:
    """Whatever is folded is opened: no violation that axe knows of, nothing to scroll sideways for."""
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page, heard = opened(context, path)
    kept = page.screenshot(full_page=True)
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    found = Axe().run(page)
    if KEPT:
        Path(KEPT, f"report-{width}-{scheme}.png").write_bytes(kept)
    context.close()

    assert found.violations_count == 0, found.generate_report()
    assert wide <= 0
    assert heard == [path.as_uri()]


def test_an_episode_is_stepped_through_by_keyboard(page: Page) -> None:
    """Tick, picture, options and return so far go along."""
    story = kitchen(page)
    slider, world, tick = story.locator("input"), story.locator(".world"), story.locator(".tick")
    first = world.inner_text()
    slider.focus()

    for _ in range(5):
        page.keyboard.press("ArrowRight")

    assert tick.inner_text() == "tick 5"
    assert slider.input_value() == "5"
    later = world.inner_text()
    assert later != first
    assert world.locator("b").count() == 2
    page.keyboard.press("ArrowLeft")
    assert tick.inner_text() == "tick 4"
    page.keyboard.press("End")
    assert tick.inner_text() == "tick 200"
    page.keyboard.press("Home")
    assert world.inner_text() == first


def test_points_are_jumped_to(page: Page) -> None:
    """What was paid for is told where it was paid."""
    story = kitchen(page)

    story.get_by_role("button", name="next points").click()

    assert "delivered soup" in story.locator(".happened").inner_text()
    assert story.locator(".points").inner_text() == "return so far 20"
    assert int(re.sub(r"\D", "", story.locator(".tick").inner_text())) > 10


def test_every_button_does_what_it_says(page: Page) -> None:
    """And none leads beyond the ends."""
    story = kitchen(page)
    seen = []

    for name in ("a tick back", "a tick on", "a tick on", "a tick back", "end", "a tick on", "next points", "start"):
        story.get_by_role("button", name=name, exact=True).click()
        seen.append(story.locator(".tick").inner_text().removeprefix("tick "))

    assert seen == ["0", "1", "2", "1", "200", "200", "200", "0"]


def test_names_are_never_read_as_a_page(page: Page) -> None:
    """They stand there as they are, and nothing of them is carried out."""
    assert page.locator("img").count() == 0
    assert page.title() == "Report: everything"
    assert page.get_by_text(NAMES[0]).count() > 0
    assert page.get_by_text(NAMES[1]).count() > 0


def test_only_tables_that_scroll_are_stops(page: Page) -> None:
    """On a phone this one is, on a laptop it is not: nobody has to tab through every table."""
    table = page.locator("#certificate-1 .scroll").nth(1)

    expect(table).to_have_attribute("tabindex", "-1")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(table).to_have_attribute("tabindex", "0")


def test_links_lead_to_chapters(page: Page) -> None:
    """Each to one that is there."""
    links = page.locator("nav a")
    targets = [str(links.nth(number).get_attribute("href")) for number in range(links.count())]

    assert len(targets) == 7
    assert all(page.locator(target).count() == 1 for target in targets)


def test_without_a_script_everything_can_be_read(browser: Browser, path: Path) -> None:
    """Nothing is folded, and the episode is text."""
    context = browser.new_context(java_script_enabled=False)
    page, _ = opened(context, path)

    assert page.locator(".stepper:visible").count() == 0
    assert page.locator(".lanes pre:visible").count() == page.locator(".story").count()
    assert page.locator("details").count() == page.locator("details[open]").count() > 5
    context.close()


def test_it_is_printed_whole(page: Page) -> None:
    """Folds are opened and controls are gone; afterwards all is as it was."""
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    shown = page.locator("main").inner_text()
    hidden = [page.locator(each).filter(visible=True).count() for each in (".stepper", "nav", ".rest")]
    folded = page.locator("details:not([open])").count()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")

    assert hidden == [0, 0, 0]
    assert folded == 0
    assert "away from chance" in shown
    assert re.search(r"\d+ more lines are left out on paper: hocket timeline kitchen/\d\.jsonl", shown)
    assert page.locator("details[open]").count() == 0


def test_paper_has_pages(page: Page) -> None:
    """Black on white, by night too; a few pages for each team."""
    page.emulate_media(color_scheme="dark")
    printed = page.pdf(prefer_css_page_size=True)
    page.emulate_media(media="print", color_scheme="dark")
    colours = page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    if KEPT:
        Path(KEPT, "report.pdf").write_bytes(printed)

    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert printed.startswith(b"%PDF")
    assert 8 <= pages <= 30
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
