"""Which room is worth walking to: learning it, and holding what was learnt against exact values."""
