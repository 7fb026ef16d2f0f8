"""The server of the tables in the browser."""
