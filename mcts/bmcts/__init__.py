"""BMCTS for finite problems: a search whose nodes carry exact beliefs."""
