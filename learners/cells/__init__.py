"""Cells of the ablation grid: who plays, on the fixed protocol, in the paper's tables."""
