"""A cluster on one machine: hosts in namespaces on a slow, lossy wire, each with its Ray."""
