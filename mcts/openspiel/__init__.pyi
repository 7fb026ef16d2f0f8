from .games import ONE_TREE, POLICY, TREES, make_problem
from .planners import planner, table_of

__all__ = [
    "ONE_TREE",
    "POLICY",
    "TREES",
    "make_problem",
    "planner",
    "table_of",
]
