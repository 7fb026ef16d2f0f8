"""The planner of the program released with [Ledford 2018], separate from the one by the text."""
