from .games import ONE_TREE, POLICY, TREES, make_problem
from .planners import SearchBot, planner, table_of

__all__ = [
    "ONE_TREE",
    "POLICY",
    "TREES",
    "SearchBot",
    "make_problem",
    "planner",
    "table_of",
]
