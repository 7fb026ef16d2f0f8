"""Contract tests of domains and searches."""
