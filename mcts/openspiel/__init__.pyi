from .games import TREES, make_problem
from .planners import SearchBot, planner, table_of

__all__ = ["TREES", "SearchBot", "make_problem", "planner", "table_of"]
