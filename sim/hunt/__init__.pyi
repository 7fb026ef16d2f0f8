from .benefit import Partition
from .geometry.connectivity import make_graph
from .geometry.random_workspaces import random_workspace
from .geometry.workspace import Workspace
from .measurements import NaiveBayes, detector
from .paths.labels import best, routes
from .paths.random_graphs import random_graph
from .reward import Weights
from .strategies.domain import adaptive
from .strategies.examples import fork
from .strategies.hunt import hunt
from .strategies.planners import Planner, expected_value, play, value
from .strategies.recursion import closed_loop

__all__ = [
    "NaiveBayes",
    "Partition",
    "Planner",
    "Weights",
    "Workspace",
    "adaptive",
    "best",
    "closed_loop",
    "detector",
    "expected_value",
    "fork",
    "hunt",
    "make_graph",
    "play",
    "random_graph",
    "random_workspace",
    "routes",
    "value",
]
