"""List the project's commands, one per line.

    python -m experiments

Once installed, ``sleuth`` does the same.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from rich.text import Text

from experiments import terminal

NAME = "sleuth"

_PURPOSE = re.compile(r"(?m)^# python -m experiments\.(\w+): (.*)$")


def commands() -> dict[str, str]:
    """Return the purpose of each command by name, read from its configuration."""
    found = {}
    here = Path(__file__).parent
    for name in sorted(path.parent.name for path in here.glob("*/__main__.py")):
        match = _PURPOSE.search(files("conf").joinpath(f"{name}.yaml").read_text("utf-8"))
        assert match is not None and match[1] == name
        found[name] = match[2]
    return found


def main() -> None:
    """Print the commands and an example."""
    console = terminal.console()
    console.print("python -m experiments.COMMAND, or sleuth-COMMAND once installed:\n")
    for name, purpose in commands().items():
        console.print(Text(f"  {name:<12} {purpose}"), soft_wrap=True)
    console.print("\nEach has --help. To begin with: python -m experiments.compare player=swift")


if __name__ == "__main__":
    main()
