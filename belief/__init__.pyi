from .beliefs.base import Belief, Setting
from .beliefs.closure import ClosureBelief, SettledBelief
from .beliefs.constrained import fit
from .beliefs.particles import ParticleDeprivation
from .beliefs.registry import make_belief
from .contract.testing import check_belief
from .events import NOT_ENVELOPE, PASSED, REFUTED_OTHER, REFUTED_US
from .evidence import LEAST_INFORMATIVE, UNIFORM, ContradictoryEvidence, EvidenceFull, lowest
from .exact.solver import ExactPosterior

__all__ = [
    "LEAST_INFORMATIVE",
    "NOT_ENVELOPE",
    "PASSED",
    "REFUTED_OTHER",
    "REFUTED_US",
    "UNIFORM",
    "Belief",
    "ClosureBelief",
    "ContradictoryEvidence",
    "EvidenceFull",
    "ExactPosterior",
    "ParticleDeprivation",
    "Setting",
    "SettledBelief",
    "check_belief",
    "fit",
    "lowest",
    "make_belief",
]
