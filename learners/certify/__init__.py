"""The cooperation certificate: a team, each of its seats without the others, and a verdict."""
