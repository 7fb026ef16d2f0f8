from .games import TREES, searched
from .planners import SearchBot, planner, table_of

__all__ = ["TREES", "SearchBot", "planner", "searched", "table_of"]
