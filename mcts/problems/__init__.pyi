from . import closed_loop, rocksample, tiger
from .rocksample import RockSampleParameters
from .tiger import TigerParameters

__all__ = [
    "RockSampleParameters",
    "TigerParameters",
    "closed_loop",
    "rocksample",
    "tiger",
]
