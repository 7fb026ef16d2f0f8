"""Evidence for the pages: rows listed, played, kept, checked again, and described."""
