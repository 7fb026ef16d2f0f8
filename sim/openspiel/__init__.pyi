from . import cluedo

__all__ = ["cluedo"]
