"""Who sits in a seat: scripts, random play, recorded decisions, a user's own class."""
