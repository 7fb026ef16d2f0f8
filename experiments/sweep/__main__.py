"""Sweeps: many settings of a player, each on the same games, and the best of them.

    python -m experiments.sweep player=swift opponent=swift player.threshold=0.3,0.4,0.5
    python -m experiments.sweep sweep.method=racing sweep.trials=40
    player.own_card_weight='interval(0.1,1)'

Any setting of ``experiments.compare`` with several values is an axis.  Nothing slow is imported at
the top, so that ``--help`` does not wait for Numba and Ray.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from experiments import terminal
from experiments.settings import helptext, signals
from experiments.settings.arguments import read
from experiments.settings.commandline import Refusal, attempt, leave
from experiments.settings.repeating import line, repeated_by
from experiments.sweep import schema

NAME = "sleuth-sweep"


def main() -> NoReturn:
    """Run the command and exit with its code."""
    with signals.handle():
        leave(attempt(NAME, run))


def run() -> None:
    """Play the sweep that the command line describes.

    Raises Refusal, Interrupted as `experiments.sweep.job.Job`.
    """
    schema.register()
    given = read(sys.argv[1:], schema.Sweeping)
    if given.multirun or given.flags not in ([], ["--cfg", "job"]):
        raise Refusal("a sweep takes only the flags --help and --cfg job; leave out all others")
    from experiments.sweep.axes import split_overrides
    from experiments.sweep.job import make_job

    if given.help:
        own, others = split_overrides(given.overrides)
        fixed = [str(one.input_line) for one in others if not one.is_sweep_override()]
        print(helptext.write(NAME, {"compare": fixed, "sweep": own}, False, given.whole))
        return
    job = make_job(given.overrides)
    if given.flags:
        print(job, end="")
        return
    with repeated_by(line("sweep", given.overrides)):
        job.run(terminal.console())


if __name__ == "__main__":
    main()
