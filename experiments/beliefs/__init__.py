"""Quality of each belief beside the exact one."""
