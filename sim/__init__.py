"""The game: cards, board, rules, policies, players, referee, arena and search domains."""
