"""The treasure hunt in examples, each with a table and a picture."""
