"""The Bayesian network of the cards: evidence tables, and what the envelope holds by them."""
