"""Which room is worth walking to, learnt."""
