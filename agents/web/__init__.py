"""Seats for people and for other processes: a server, and its page."""
