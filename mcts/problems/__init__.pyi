from . import baby, closed_loop, kuhn, rocksample, tiger
from .baby import BabyParameters
from .kuhn import KuhnParameters
from .rocksample import RockSampleParameters
from .tiger import TigerParameters

__all__ = [
    "BabyParameters",
    "KuhnParameters",
    "RockSampleParameters",
    "TigerParameters",
    "baby",
    "closed_loop",
    "kuhn",
    "rocksample",
    "tiger",
]
