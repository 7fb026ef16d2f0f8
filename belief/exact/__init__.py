"""The exact posterior: a dynamic programme over the cards, and its readings."""
