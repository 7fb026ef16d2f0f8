"""Small problems with known values, which import nothing but the search."""
