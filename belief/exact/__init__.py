"""The exact posterior: a dynamic programme over the cards, and what is read from it."""
