"""Calibration of searches: what they predict beside what comes of it."""
