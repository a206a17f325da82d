"""No word on the terminal about what the trace says anyway."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

import structlog


@contextmanager
def quietly() -> Iterator[None]:
    """Keep warnings to oneself, and what agents print off stdout.

    Where thousands of episodes go wrong on purpose, agents that fail are no news.
    """
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        structlog.configure(**before)
