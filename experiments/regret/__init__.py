"""Regret of planners in positions with exact values."""
