"""Command lines and configurations."""
