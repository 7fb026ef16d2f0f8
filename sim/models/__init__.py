"""Opponent models: policies, beliefs over them, and best responses."""
