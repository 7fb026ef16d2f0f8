"""A server that is killed loses nothing that it has shown, and its links go on."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from http_client import COMPUTER, Client, Served, events, person

KILLED = 20
HERE = Path(__file__).parent


class Killed:
    """Servers of one folder, of which each is killed before the next begins."""

    def __init__(self, folder):
        root = HERE.parents[1]
        self._parent = subprocess.Popen(
            [sys.executable, HERE / "server_processes.py", folder],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._child = None

    def start(self):
        self._parent.stdin.write("\n")
        self._parent.stdin.flush()
        child, address = self._parent.stdout.readline().split()
        self._child = int(child)
        return Client(address)

    def kill(self):
        os.kill(self._child, signal.SIGKILL)
        with suppress(ProcessLookupError):  # until it is gone, and its lock
            while True:
                os.kill(self._child, 0)
                time.sleep(0.002)

    def close(self):
        self._parent.kill()
        self._parent.wait()
        self._parent.stdin.close()
        self._parent.stdout.close()


@pytest.fixture
def killed_servers(tmp_path):
    servers = Killed(tmp_path)
    yield servers
    servers.close()


def test_killed_twenty_times_nothing_shown_is_lost(tmp_path, killed_servers):
    """Ann's game and one of computers; each stream goes on after the last event that it has seen.

    Put together, what was seen between kills equals one stream of the whole game.
    """
    chance = random.Random(5)
    first = Served(tmp_path)
    three = [COMPUTER] * 3
    made = first.table(person("Ann"), *three, rules="ledford", pace=0.002, seed=2)
    watched = first.table(COMPUTER, *three, rules="ledford", pace=0.01, seed=3)["watch"]
    first.close()
    (seat,) = made["seats"].values()
    paths = {f"/api{seat}/stream": [], f"/api{watched}/stream": []}
    last = dict.fromkeys(paths)
    for _ in range(KILLED):
        client = killed_servers.start()
        for path, seen in paths.items():
            stream = client.stream(path, last[path])
            for _ in range(chance.randrange(1, 8)):
                message = next(stream)
                seen.append(message)
                last[path] = stream.last
                if message["kind"] == "prompt":
                    assert client.answer(seat, message["prompt"]) in (200, 409)
                if message["kind"] == "over":
                    break
        killed_servers.kill()
    client = killed_servers.start()
    for path, seen in paths.items():
        whole = events(client.stream(path).until("over", "prompt"))
        seen = events(seen)
        assert len(seen) > KILLED
        assert seen == whole[: len(seen)]
    killed_servers.kill()
