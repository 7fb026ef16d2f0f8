"""Contract tests of domains and searches, for anyone to call."""
