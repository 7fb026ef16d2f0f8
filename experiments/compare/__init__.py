"""The main job: compare players on the same games.

>>> from experiments import compare
>>> compare(player="bmcts", opponent="heuristic", games=200, seed=1)

See `experiments.compare.python.compare` for parameters and result.
"""

from experiments.callable import make_callable

make_callable(__name__, "experiments.compare.python:compare")
