"""The Speed Clue contest: its protocol, and a client that seats one of our players."""
