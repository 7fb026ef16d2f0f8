"""Examples of the treasure hunt, each with a table and a picture."""
