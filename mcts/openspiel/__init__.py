"""OpenSpiel: its games searched here, our games judged there (extra ``openspiel``)."""

from importlib.util import find_spec

if find_spec("pyspiel") is None:
    raise ImportError("OpenSpiel is not installed: pip install 'sleuth-mcts[openspiel]' brings it")
