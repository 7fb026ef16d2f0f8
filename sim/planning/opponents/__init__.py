"""Who sits opposite: a belief over the opponents' policies, and simulations that draw from it."""
