"""Contract tests of beliefs."""
