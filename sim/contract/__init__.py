"""Contract tests of policies and players, for anyone to call."""
