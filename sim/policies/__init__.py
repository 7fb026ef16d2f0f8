"""Jitted policies, one a file: used by the arena, by roll-outs and by players alike."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
