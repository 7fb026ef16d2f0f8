"""Contract tests of beliefs, for anyone to call."""
