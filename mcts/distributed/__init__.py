"""Ray: a private local one, or an existing cluster."""
