"""`experiments.compare`, writing ten parts a second and waiting for its record with its games.

With SLOWLY in the environment it plays few games a second.
"""

import os
import sys
import time

from experiments.compare import __main__ as compare
from experiments.matches import play, results
from experiments.runs import mlflow_run


def begin_and_wait(self, begin=mlflow_run.MlflowRun.begin):
    begin(self)
    self._opening.done.wait()


def play_slowly(match, games, portion=play.portion):
    time.sleep(0.2)
    return portion(match, games)


if __name__ == "__main__":
    if "SLOWLY" in os.environ:
        play.portion = play_slowly
    results.FLUSH_SECONDS = (0.1, 0.1)
    mlflow_run.MlflowRun.begin = begin_and_wait
    sys.argv[0] = "compare"
    compare.main()
