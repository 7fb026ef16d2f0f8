"""The questions asked of the planners: matches, statistics, tracking and plots.

From Python: ``from experiments import compare, sweep, table`` (docs/python.md).
"""
