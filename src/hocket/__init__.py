"""Live multi-agent episodes in spatial games, recorded and run again."""

__version__ = "0.1.0"
