"""Calibration of searches: their predictions compared with the outcomes."""
