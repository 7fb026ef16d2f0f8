from . import closed_loop, kuhn, rocksample, tiger
from .kuhn import KuhnParameters
from .rocksample import RockSampleParameters
from .tiger import TigerParameters

__all__ = [
    "KuhnParameters",
    "RockSampleParameters",
    "TigerParameters",
    "closed_loop",
    "kuhn",
    "rocksample",
    "tiger",
]
