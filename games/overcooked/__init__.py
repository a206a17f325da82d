"""Overcooked-AI's kitchens: rules, layouts, options and pictures."""
