"""What was played, as one page."""
