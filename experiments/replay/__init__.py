"""A recorded game in words."""
