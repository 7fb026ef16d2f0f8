"""Ray: started on this machine, or joined elsewhere."""
