"""Where `hocket` and `python -m hocket` begin: an interrupt while things are loaded is no traceback."""

import sys


def main() -> None:
    """Load the front door and go through it."""
    try:
        from hocket.cli import main as enter
    except KeyboardInterrupt:
        sys.exit(130)
    enter()


if __name__ == "__main__":
    main()
