"""A SGLang server as a backend: its start, its wire, and the adapters on it."""
