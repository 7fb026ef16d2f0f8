from .geometry.connectivity import make_graph
from .geometry.workspace import Workspace, random_workspace
from .measurements import NaiveBayes, Partition, detector
from .paths.labels import best, routes
from .paths.random_graphs import random_graph
from .reward import Weights

__all__ = [
    "NaiveBayes",
    "Partition",
    "Weights",
    "Workspace",
    "best",
    "detector",
    "make_graph",
    "random_graph",
    "random_workspace",
    "routes",
]
