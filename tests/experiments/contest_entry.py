"""An entry of the contest that knows nothing: it suggests at random, and accuses when it must.

contest_entry.py NAME PORT [FAULT]
"""

from __future__ import annotations

import random
import socket
import sys
from itertools import product

SUSPECTS = ["Gr", "Mu", "Pe", "Pl", "Sc", "Wh"]
WEAPONS = ["Ca", "Kn", "Pi", "Re", "Ro", "Wr"]
ROOMS = ["Ba", "Bi", "Co", "Di", "Ha", "Ki", "Li", "Lo", "St"]

name, port, *fault = sys.argv[1:]
chance = random.Random(port)
server = socket.create_connection(("127.0.0.1", int(port)))
server.sendall(f"{name} alive".encode())
hand, left, mine = [], [], None
while True:
    kind, *words = server.recv(512).decode().split() or ["done"]
    answer = "ok"
    if kind == "reset":
        hand, left, mine = words[2:], list(product(SUSPECTS, WEAPONS, ROOMS)), None
        chance.shuffle(left)
    elif kind == "suggest":
        answer = f"suggest {' '.join(left.pop())}"
        if fault == ["nonsense"]:
            answer = "suggest Gr Gr Gr"
        elif fault == ["dies"]:
            break
    elif kind == "suggestion" and words[4:] == ["-"] and not set(words[1:4]) & set(hand):
        mine = words[1:4]
    elif kind == "disprove":
        answer = f"show {next(card for card in words[1:] if card in hand)}"
    elif kind == "accuse":
        answer = f"accuse {' '.join(mine)}" if mine else "-"
    elif kind == "done":
        server.sendall(b"dead")
        break
    server.sendall(answer.encode())
