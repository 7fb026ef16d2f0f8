"""The planner as the program of [Ledford 2018] has it, apart from the one by the text."""
