"""What was played: run folders and their figures."""
