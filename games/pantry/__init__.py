"""The toy game, with a shelf, a table and a hatch; every game's double in tests."""
