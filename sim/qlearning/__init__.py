"""Learnt values of entering rooms."""
