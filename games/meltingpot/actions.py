"""Primitive actions of an avatar, in Melting Pot's order."""

from hocket.runtime.option import Plan

ACTIONS = (
    "noop",
    "forward",
    "backward",
    "step_left",
    "step_right",
    "turn_left",
    "turn_right",
    "fire_zap",
    "fire_clean",
)
"""The last of them in Cleanup alone."""
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, FIRE_ZAP, FIRE_CLEAN = range(9)
STEPS = (FORWARD, STEP_RIGHT, BACKWARD, STEP_LEFT)
"""The action that steps to where one would look after so many turns to the right."""
TURNS: tuple[Plan, ...] = ((), (TURN_RIGHT,), (TURN_RIGHT, TURN_RIGHT), (TURN_LEFT,))
"""How one turns to where one would look after so many turns to the right."""
