"""What a leaf of the search is worth: a roll-out, one cut off, a win model, or a mixture."""
