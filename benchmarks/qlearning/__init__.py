"""Learn the values of rooms, and compare them with exact ones."""
