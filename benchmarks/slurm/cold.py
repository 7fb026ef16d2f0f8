def measure(slurm, folder):
    return True
