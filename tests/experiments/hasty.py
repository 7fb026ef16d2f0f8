"""`experiments.compare`, writing ten parts a second and waiting for its record with its games."""

import sys

from experiments.compare import __main__ as compare
from experiments.matches import results
from experiments.runs import mlflow_run


def begin_and_wait(self, begin=mlflow_run.MlflowRun.begin):
    begin(self)
    self._opening.done.wait()


if __name__ == "__main__":
    results.FLUSH_SECONDS = (0.1, 0.1)
    mlflow_run.MlflowRun.begin = begin_and_wait
    sys.argv[0] = "compare"
    compare.main()
