"""Evidence of what the pages say: rows listed, played, kept, checked again, and written about."""
