"""Games under way at tables: settings, moves, events shown, questions to people."""
