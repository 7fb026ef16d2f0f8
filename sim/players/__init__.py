"""Players for a seat at the table, compiled or not."""
