"""The main job: players compared on the same games.

>>> from experiments import compare
>>> compare(player="bmcts", opponent="heuristic", games=200, seed=1)

`experiments.compare.python.compare` says what it takes and returns.
"""

from experiments.callable import make_callable

make_callable(__name__, "experiments.compare.python:compare")
