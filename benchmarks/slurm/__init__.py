"""A Slurm of four nodes on one machine, and events that it does to runs."""
