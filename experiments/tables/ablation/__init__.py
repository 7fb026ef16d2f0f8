"""Ablations: one setting after another is switched, and each combination is a run of its own."""
