"""Quality of each belief compared with the exact one."""
