"""What is left of an episode: its trace, and everything done with one afterwards."""
