"""The page as bytes: one file that brings along all that it needs."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any

from hocket.learners.report.parts import Page
from hocket.learners.report.story import ON_PAPER
from hocket.runtime.extra import imported


def render(page: Page) -> bytes:
    """Fill in the page; whatever came from a file is text on it, and never markup.

    Raises:
        MissingExtraError: Jinja2 is not installed.
    """
    environment = jinja().Environment(
        autoescape=True, undefined=jinja().StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    script = _file("page.js")
    filled = environment.from_string(_file("page.html")).render(
        page=page, style=_file("page.css"), script=script, policy=_policy(script), on_paper=ON_PAPER
    )
    return str(filled).encode("utf-8", "replace")


def jinja() -> Any:
    """Return Jinja2.

    Raises:
        MissingExtraError: it is not installed.
    """
    return imported("jinja2", extra="report", needed_for="the page of a report")


def _file(name: str) -> str:
    return (files("hocket.learners.report") / name).read_text("utf-8")


def _policy(script: str) -> str:
    """Allow what stands in the page, one script by its digest, and nothing from anywhere else."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    allowed = {"default-src": "'none'", "style-src": "'unsafe-inline'", "script-src": f"'sha256-{digest}'"}
    allowed |= {"img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}
    return "; ".join(f"{key} {value}" for key, value in allowed.items())
