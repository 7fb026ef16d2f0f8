"""Sweeps: many settings of a player, each over the same games, and the best of them.

    python -m experiments.sweep player=swift player@opponent=swift player.threshold=0.3,0.4,0.5
    python -m experiments.sweep sweep.method=racing sweep.trials=40
    player.own_card_weight='interval(0.1,1)'

Any setting of ``experiments.compare`` with several values is an axis.  Nothing slow is imported at
the top: ``--help`` should not wait for Numba and Ray.
"""

from __future__ import annotations

import argparse
from importlib.resources import files
from typing import NoReturn

from omegaconf import OmegaConf

from experiments import terminal
from experiments.settings import applies, config, signals
from experiments.settings.commandline import Parser, attempt, leave
from experiments.settings.repeating import line, repeated_by
from experiments.sweep import schema

NAME = "sleuth-sweep"

_HELP = """
axes (quote them in a shell):
  player.threshold=0.3,0.4,0.5                  values; of a group too: player=swift,closure
  player.budget.simulations='range(100,500,100)'
  player.search.exploration='interval(0.1,2)'   drawn from, by sweep.method=random or racing
  player.own_card_weight='tag(log,interval(0.01,1))'      on a logarithmic scale
  player.trees='tag(int,interval(1,8))'         whole numbers
everything else is a setting of sleuth-compare (see its --help), the same for all points:
  match.games is the number of games a point.

settings of the sweep:
"""

_AFTER = """
A sweep writes sweep.csv, sweep.png and summary.json to its folder, and a run folder for each trial.
An interrupted one goes on by the same command with run.resume=FOLDER.
"""


def main() -> NoReturn:
    """Run the command and exit with its code."""
    with signals.handle():
        leave(attempt(NAME, run))


def run() -> None:
    """Play the sweep that the command line asks for.

    Raises Refusal, Interrupted as `experiments.sweep.job.Job`.
    """
    parser = Parser(
        prog=NAME,
        description=(__doc__ or "").partition("\n\n    ")[0],
        epilog=_HELP + _settings_text() + _AFTER,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", metavar="name=value", help="settings and axes")
    parser.add_argument("--cfg", choices=["job"], help="show the configuration and play nothing")
    arguments = parser.parse_intermixed_args()
    schema.register()
    from experiments.sweep.axes import split_overrides
    from experiments.sweep.space import Space

    own, others = split_overrides(arguments.overrides)
    settings = config.compose("sweep", own)
    config.check_sections(settings)
    applies.check("sweep", settings, own)
    space = Space(others)
    if arguments.cfg:
        print(OmegaConf.to_yaml(settings, resolve=True), end="")
        print(OmegaConf.to_yaml(space.point(space.crosses[0]).settings), end="")
        print("".join(f"# {key}: {values}\n" for key, values in space.plain.items()), end="")
        return
    from experiments.sweep.job import Job

    with repeated_by(line("sweep", arguments.overrides)):
        Job(settings, space).run(terminal.console())


def _settings_text() -> str:
    """Return the sweep's own settings as `conf` explains them."""
    text = files("conf").joinpath("sweep.yaml").read_text()
    body = text[text.index("\nsweep:") + 1 :]
    return "".join(f"  {line}\n" if line else "\n" for line in body.splitlines())


if __name__ == "__main__":
    main()
