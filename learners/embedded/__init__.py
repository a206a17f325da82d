"""The base that comes with hocket, made again: its words, its lessons, its training, its figures."""
