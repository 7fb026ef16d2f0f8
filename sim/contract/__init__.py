"""Public contract tests of policies and players."""
