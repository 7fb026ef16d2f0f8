"""The tables of the papers and of strength."""
