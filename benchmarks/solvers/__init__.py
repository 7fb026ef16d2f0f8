"""Others' problems and others' solvers: what planners reach of the values that solvers prove."""
