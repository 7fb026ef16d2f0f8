"""`experiments.compare`, writing ten parts a second and waiting for its record with its games."""

import sys

from experiments.compare import __main__ as compare
from experiments.compare import recording
from experiments.matches import results


def begin_and_wait(self, begin=recording.Recording.begin):
    begin(self)
    self._opening.done.wait()


if __name__ == "__main__":
    results.FLUSH_SECONDS = (0.1, 0.1)
    recording.Recording.begin = begin_and_wait
    sys.argv[0] = "compare"
    compare.main()
