from . import closure, csp, greedy, heuristic, hide, random, swift, uniform
from .common import SUGGESTS, accusation, any_card, last_chance, roam
from .walking import nearest_room, towards

__all__ = [
    "SUGGESTS",
    "accusation",
    "any_card",
    "closure",
    "csp",
    "greedy",
    "heuristic",
    "hide",
    "last_chance",
    "nearest_room",
    "random",
    "roam",
    "swift",
    "towards",
    "uniform",
]
