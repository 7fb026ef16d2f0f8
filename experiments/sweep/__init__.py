"""Sweeps over settings.

>>> from experiments import sweep
>>> sweep(player={"preset": "swift", "threshold": [0.3, 0.4, 0.5]}, opponent="swift", games=2000)

See `experiments.sweep.python.sweep` for parameters and result.
"""

from experiments.callable import make_callable

make_callable(__name__, "experiments.sweep.python:sweep")
