from .geometry.connectivity import make_graph
from .geometry.workspace import Workspace, random_workspace
from .measurements import NaiveBayes, Partition, detector
from .paths.labels import best, routes
from .paths.random_graphs import random_graph
from .reward import Weights
from .strategies.hunt import after, hunt
from .strategies.recursion import closed_loop, full_information, open_loop, replan

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
