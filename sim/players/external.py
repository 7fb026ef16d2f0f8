"""An external program in a seat, with a line protocol over standard input and output.

``command`` starts for the first game and keeps running.  Every message is a line of JSON; the
answer to ``decide`` is a line with the number of one of the ``actions`` (`sim.state`):

    {"type": "begin", "rules": {...}, "seat": 0, "hand": ["Plum", ...], "face_up": [], "seed": 7}
    {"type": "see", "asker": 1, "cards": ["Plum", "rope", "Hall"], "answerer": 2, "card": null}
    {"type": "hear", "accuser": 3, "cards": ["Plum", "rope", "Hall"]}
    {"type": "decide", "phase": "turn", "turn": 4, "seat": 0, "roll": 3, "cards": [], "rooms":
        ["Hall", null, ...], "spots": [...], "out": [false, ...], "actions": [0, 1, ...]}

After an unlisted action the program continues to play.  If it crashes, exceeds its clock, or writes
anything else, it is ended and restarted for the next game.  The first action that is no accusation
replaces a faulty one.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mcts.kernel.errors import SleuthError
from mcts.limits import above, one_of
from sim.cards import ROOMS
from sim.legal import legal
from sim.player import Player
from sim.records.events import names
from sim.rules import Rules, world
from sim.seat import Seat
from sim.state import ACCUSE, ACCUSED, N_ACTIONS, REVEAL, SHOW

PHASES = ("turn", "suggest", "show", "end")

LONGEST = 1000
"""Maximum bytes of an answer."""


@dataclass(kw_only=True)
class Settings(Seat):
    """Settings of the player, as in ``conf/player/external.yaml``.

    Attributes
    ----------
    command : program and arguments; ``python`` means the running Python
    seconds : time limit of a decision
    """

    name: str = one_of("external", default="external")
    command: str
    seconds: float = above(0, 3600, default=10.0)

    def make(self, rules: Rules) -> ExternalPlayer:
        """Return the player; it supports all rules.  ValueError for an unknown program."""
        try:
            words = shlex.split(self.command)
        except ValueError as fault:
            raise ValueError(f"player.command={self.command}: {fault}") from None
        if words[:1] == ["python"]:
            words[0] = sys.executable
        if not words or shutil.which(words[0]) is None:
            raise ValueError(f"player.command={self.command}: unknown program")
        return ExternalPlayer(words, float(self.seconds), self.title)


class Guarded:
    """A program in a process group of its own, which `end` ends, at the latest when we end.

    ``words``: program and arguments; ``options``: of `subprocess.Popen`.  Raises OSError if it
    cannot be started.
    """

    def __init__(self, words: list[str], **options: Any) -> None:
        self.process: subprocess.Popen[bytes] = subprocess.Popen(
            words, start_new_session=True, **options
        )
        self.end = weakref.finalize(self, _stop, self.process)


def _stop(program: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (program.stdin, program.stdout)):
        with suppress(OSError):
            pipe.close()
    with suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


class _Broken(SleuthError):
    """The program cannot continue to play."""


class ExternalPlayer(Player):
    """The program in a seat; ``faults`` counts its faults in the current game."""

    picks_cards = True

    def __init__(self, words: list[str], seconds: float, name: str) -> None:
        super().__init__(name)
        self._words, self._seconds = words, seconds
        self._guarded: Guarded | None = None

    @property
    def _program(self) -> subprocess.Popen[bytes] | None:
        return None if self._guarded is None else self._guarded.process

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        self.decisions, self.faults, self.search_seconds = 0, 0, 0.0
        self._rules, self._seat, self._world = rules, seat, world(rules)
        if self._program is not None and _is_ready(self._program.stdout, 0, 0.0):
            self._end()  # it ended after its last game
        if self._program is None:
            self._start()
        hand, face_up = names(view[0].hand[seat]), names(view[0].face_up)
        known = {"rules": asdict(rules), "seat": seat, "hand": hand, "face_up": face_up}
        self._say("begin", **known, seed=_draw_seed(known))

    def see(self, event: tuple[int, int, int, int]) -> None:
        asker, cards, answerer, card = event
        if answerer == ACCUSED:
            self._say("hear", accuser=asker, cards=names(cards))
            return
        shown = names(1 << card)[0] if card >= 0 else None
        by = answerer if answerer >= 0 else None
        self._say("see", asker=asker, cards=names(cards), answerer=by, card=shown)

    def decide(self, view: np.recarray) -> int:
        s, n = view[0], self._rules.players
        options = np.empty(N_ACTIONS, np.int64)
        actions = options[: legal(self._world[0], s, options)].tolist()
        rooms = [int(self._world[0].room_of[spot]) for spot in s.spot[:n]]
        began = time.perf_counter()
        self.decisions += 1
        if self._program is not None and _is_ready(self._program.stdout, select.POLLIN, 0.0):
            self._give_up()  # unsolicited output, or a crash
        self._say(
            "decide",
            phase=PHASES[int(s.phase)],
            turn=int(s.turn),
            seat=int(s.seat),
            roll=int(s.roll),
            cards=names(s.cards) if s.phase == SHOW else [],
            rooms=[ROOMS[room] if room >= 0 else None for room in rooms],
            spots=s.spot[:n].tolist(),
            out=[bool(out) for out in s.out[:n]],
            actions=actions,
        )
        answer = self._hear(began + self._seconds)
        self.search_seconds += time.perf_counter() - began
        if answer in actions:
            return answer
        self.faults += answer is not None
        return next(action for action in actions if not ACCUSE <= action < REVEAL)

    def _start(self) -> None:
        try:
            self._guarded = Guarded(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except OSError:
            self.faults += 1
            return
        os.set_blocking(self._program.stdin.fileno(), False)  # type: ignore[union-attr]

    def _end(self) -> None:
        self._guarded.end()  # type: ignore[union-attr]
        self._guarded = None

    def _give_up(self) -> None:
        self.faults += 1
        self._end()

    def _say(self, kind: str, **what: Any) -> None:
        """Send a message if the program runs; end it if it does not read."""
        if self._program is None:
            return
        line = json.dumps({"type": kind, **what}).encode() + b"\n"
        try:
            self._send(line, time.perf_counter() + self._seconds)
        except (_Broken, OSError):
            self._give_up()

    def _send(self, line: bytes, deadline: float) -> None:
        pipe = self._program.stdin  # type: ignore[union-attr]
        while line:
            _wait(pipe, select.POLLOUT, deadline)
            line = line[pipe.write(line) or 0 :]  # type: ignore[union-attr]

    def _hear(self, deadline: float) -> int | None:
        """Return the program's answer, or None, and end it, without a valid one."""
        if self._program is None:
            return None
        said, pipe = b"", self._program.stdout
        try:
            while not said.endswith(b"\n"):
                _wait(pipe, select.POLLIN, deadline)
                heard = pipe.read(LONGEST)  # type: ignore[union-attr]
                if not heard or len(said) > LONGEST:
                    raise _Broken
                said += heard
            return int(said)
        except (_Broken, OSError, ValueError):
            self._give_up()
            return None


def _draw_seed(known: dict[str, Any]) -> int:
    """Return a seed for the program, a function of its own information.

    The seat's key would leak: it is a reversible mix of the run's seed.
    """
    said = json.dumps(known, sort_keys=True).encode()
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest()) % 2**53


def _is_ready(pipe: Any, event: int, seconds: float) -> bool:
    """Return whether ``pipe`` is ready within ``seconds``, or broken."""
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(max(1000 * seconds, 0.0)))


def _wait(pipe: Any, event: int, deadline: float) -> None:
    if not _is_ready(pipe, event, deadline - time.perf_counter()):
        raise _Broken
