from .geometry.connectivity import make_graph
from .geometry.workspace import Workspace, random_workspace
from .measurements import NaiveBayes, Partition, detector
from .outcomes import after, closed_loop, full_information, hunt, open_loop, replan
from .paths.labels import best, routes
from .paths.random_graphs import random_graph
from .reward import Weights

__all__ = [
    "NaiveBayes",
    "Partition",
    "Weights",
    "Workspace",
    "after",
    "best",
    "closed_loop",
    "detector",
    "full_information",
    "hunt",
    "make_graph",
    "open_loop",
    "random_graph",
    "random_workspace",
    "replan",
    "routes",
]
