"""OpenSpiel: search its games here, evaluate our planners there (extra ``openspiel``)."""

import lazy_loader

from mcts.kernel.extras import extra

with extra("openspiel"):
    import pyspiel  # noqa: F401

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
