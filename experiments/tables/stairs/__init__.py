"""Tables of steps: one setting after another is changed, and each step is a run of its own."""
