"""Melting Pot: Cleanup and Commons Harvest on DeepMind's own substrates."""
