"""What a report of runs is made of; the command is `experiments.report`."""
