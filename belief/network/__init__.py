"""The Bayesian network of the cards: evidence tables, and their reading of the envelope."""
