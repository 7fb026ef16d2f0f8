"""OpenSpiel: its games searched here, our games judged there (extra ``openspiel``)."""

from importlib.util import find_spec

import lazy_loader

if find_spec("pyspiel") is None:
    raise ImportError("OpenSpiel is not installed: pip install 'sleuth-mcts[openspiel]'")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
