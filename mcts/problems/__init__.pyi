from . import closed_loop, light_dark, rocksample, sub_hunt, tag, tiger, vdp_tag
from .rocksample import RockSampleParameters
from .tiger import TigerParameters

__all__ = [
    "RockSampleParameters",
    "TigerParameters",
    "closed_loop",
    "light_dark",
    "rocksample",
    "sub_hunt",
    "tag",
    "tiger",
    "vdp_tag",
]
