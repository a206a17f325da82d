"""The toy game: a shelf, a table and a hatch; the double for every game in tests."""
