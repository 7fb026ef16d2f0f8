"""The questions asked of the planners: matches, statistics, tracking and plots."""
