"""A switch between network interfaces that delays and loses frames, in a separate process.

    python -m benchmarks.cluster.wire DELAY_MS LOSS SEED INTERFACE...

Not every kernel has ``tc netem``.  Each interface is a tap that this process makes and the caller
moves into a namespace.  It prints a line when all exist, and reads lines from its input: ``cut
NUMBER`` loses all frames to and from an interface until ``join NUMBER``.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import selectors
import struct
import sys
import time
from contextlib import suppress

_TUNSETIFF = 0x400454CA
_TAP, _NO_HEADER = 0x0002, 0x1000
_LONGEST_FRAME = 65_536
_MAC = 6


def open_tap(name: str) -> int:
    """Return the file of a new tap interface, which is removed when this process ends."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH", name.encode(), _TAP | _NO_HEADER))
    return file


class Wire:
    """Frames in transit between ``files``, by the number of the interface."""

    def __init__(self, files: list[int], delay: float, loss: float, seed: int) -> None:
        self._files, self._delay, self._loss = files, delay, loss
        self._rng = random.Random(seed)
        self._ports: dict[bytes, int] = {}
        self._due: list[tuple[float, int, int, bytes]] = []
        self._sent = 0
        self.cut: set[int] = set()

    @property
    def wait(self) -> float | None:
        """Seconds until the next frame is due; None without one."""
        return max(0.0, self._due[0][0] - time.monotonic()) if self._due else None

    def take(self, port: int) -> None:
        """Read all frames that interface ``port`` has sent."""
        while True:
            try:
                frame = os.read(self._files[port], _LONGEST_FRAME)
            except BlockingIOError:
                return
            except OSError:  # its namespace is removed, or it is down
                return
            self._ports[frame[_MAC : 2 * _MAC]] = port
            if port in self.cut or self._rng.random() < self._loss:
                continue
            to = self._ports.get(frame[:_MAC])
            every = [each for each in range(len(self._files)) if each != port]
            for each in every if to is None else [to]:
                self._sent += 1
                due = time.monotonic() + self._delay
                heapq.heappush(self._due, (due, self._sent, each, frame))

    def deliver(self) -> None:
        """Deliver the frames that are due."""
        while self._due and self._due[0][0] <= time.monotonic():
            *_, port, frame = heapq.heappop(self._due)
            if port not in self.cut:
                with suppress(OSError):  # lost, as on any wire
                    os.write(self._files[port], frame)


def main() -> None:
    """Carry frames until the input ends."""
    delay, loss, seed, *names = sys.argv[1:]
    files = [open_tap(name) for name in names]
    wire = Wire(files, float(delay) / 1000, float(loss), int(seed))
    with selectors.DefaultSelector() as selector:
        for port, file in enumerate(files):
            selector.register(file, selectors.EVENT_READ, port)
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
        print("ready", flush=True)
        while True:
            for key, _ in selector.select(wire.wait):
                if key.data is not None:
                    wire.take(key.data)
                    continue
                said = os.read(sys.stdin.fileno(), 4096).decode()
                if not said:
                    return
                for what, number in map(str.split, said.splitlines()):
                    (wire.cut.add if what == "cut" else wire.cut.discard)(int(number))
            wire.deliver()


if __name__ == "__main__":
    main()
