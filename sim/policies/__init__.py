"""Jitted policies, one a file: used by the arena, by roll-outs and by players alike."""
