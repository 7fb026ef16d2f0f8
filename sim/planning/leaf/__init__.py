"""The value of a leaf of the search: a roll-out, one cut off, a win model, or a mixture."""
