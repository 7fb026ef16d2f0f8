"""Serves tables in FOLDER in a new child for every line that it reads, until it reads no more.

    python server_processes.py FOLDER

All is imported once, before: so a server can be killed and started again many times in a second.
A child writes a line with its number and its address.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

from http_client import settings
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.web.server.serve import serve
from experiments.web.tables.table import Table


def main() -> None:
    with TemporaryDirectory() as folder:  # all is loaded before there are children
        play_to_prompt(Table(setup(*[COMPUTER] * 3, name="speed", players=3), Path(folder)))
        ended = threading.Event()
        serve(settings(Path(folder)), ended, lambda _: ended.set())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        if os.fork() == 0:
            serve(
                settings(Path(sys.argv[1])),
                threading.Event(),
                lambda address: print(os.getpid(), address, flush=True),
            )


if __name__ == "__main__":
    main()
