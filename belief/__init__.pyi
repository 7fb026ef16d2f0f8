from .beliefs.base import Belief, Setting
from .beliefs.closure import ClosureBelief, SettledBelief
from .beliefs.constrained import fit
from .beliefs.registry import make_belief
from .contract.testing import check_belief
from .events import PASSED, REFUTED_OTHER, REFUTED_US
from .evidence import lowest
from .exact.solver import ExactPosterior

__all__ = [
    "PASSED",
    "REFUTED_OTHER",
    "REFUTED_US",
    "Belief",
    "ClosureBelief",
    "ExactPosterior",
    "Setting",
    "SettledBelief",
    "check_belief",
    "fit",
    "lowest",
    "make_belief",
]
