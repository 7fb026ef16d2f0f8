"""Stands in for ``java``: it is the game's server.

java FLAGS -cp CLASSES SERVER entries.txt
"""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sim"))

from contest_server import Server, Violation

BAR = "=" * 79


def serve(entries: Path) -> None:
    """Start the entries, and play one game among them."""
    connections, names = [], []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for line in entries.read_text().splitlines():
            name = re.search(r"{(\w+)}", line)[1]
            command = line.replace("{" + name + "}", name)
            command = command.replace("%%", str(listening.getsockname()[1]))
            with Path(f"output_{name}.txt").open("w") as said:
                subprocess.Popen(shlex.split(command), stdout=said)
            connections.append(listening.accept()[0])
            names.append(name)
    seed = len(list(Path(__file__).parent.glob("*"))) + len(names)
    try:
        winner, _ = Server(connections, seed).play()
    except Violation as fault:
        print(f'{BAR}\nPlayer "{fault.args[1]}" broke a rule: {fault.args[0]}')
    except OSError:
        print(f"{BAR}\nout of order")
    else:
        print(f'{BAR}\nThe winner is Player "{winner}" [{winner}] after 5 rounds.')


if __name__ == "__main__":
    if Path(sys.argv[sys.argv.index("-cp") + 1]).suffix != ".jar":
        sys.exit("Error: Could not find or load main class")
    serve(Path(sys.argv[-1]))
