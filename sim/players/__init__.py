"""Who may sit at the table, compiled or not."""
