"""What a sweep is made of; the command is `experiments.sweep`."""
