"""Models of the others at the table: policies, what they answer to, and beliefs over both."""
