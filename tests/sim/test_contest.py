"""The client of the Speed Clue contest: whole games, and servers that break the protocol."""

from __future__ import annotations

import socket
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from contest_server import Server, seat_clients
from heard import BOLD
from presets import spec_of

from benchmarks.contest.client import Client, enter
from benchmarks.contest.messages import LETTERS, BadServer, read, write_cards
from sim.cards import CARDS
from sim.player import IllegalAction, Player, PolicyPlayer
from sim.players.registry import make
from sim.policies.registry import Policy
from sim.referee import play
from sim.rules import preset
from sim.state import ACCUSED

HAND = "Pl Kn Ro Ha Li Lo"
RESET = f"reset 3 1 {HAND}"
SWIFT = Policy("swift", threshold=0.7)


def client(player=SWIFT):
    """Return a client of a compiled policy."""
    return Client(lambda rules: PolicyPlayer(player), seed=3)


def send(one, *messages):
    """Let the client answer messages; return its answers."""
    return [one.answer(message.encode()) for message in messages]


def test_messages_are_read_whatever_their_case():
    found = read(b"suggestion 2 WH Pi bi 0 Pi\0")
    assert (found.kind, found.seat, found.answerer) == ("suggestion", 2, 0)
    assert write_cards(found.cards) == "Wh Pi Bi" and CARDS[found.card] == "lead pipe"
    assert read(b"suggestion 2 Wh Pi Bi -").answerer == -1
    assert read(b"accusation 1 Wh Pi Bi +").right and not read(b"accusation 1 Wh Pi Bi -").right


@pytest.mark.parametrize(
    "names", [["swift", "greedy", "random"], [BOLD, "hide", BOLD, "uniform", "csp", "closure"]]
)
def test_whole_games_are_played(names):
    players = len(names)
    clients = [client(name) for name in names]
    with seat_clients([partial(one.serve, patience=600) for one in clients]) as ends:
        server = Server(ends, seed=1)
        winners = [server.play()[0] for _ in range(3)]
        for seat in range(players):
            assert server.ask(seat, "done") == "dead"
    assert all(0 <= winner < players for winner in winners)
    assert all(one.games == 3 for one in clients)


@pytest.mark.parametrize("name", ["best", "mo_ismcts", "bn"])
def test_all_kinds_of_players_enter(name):
    changes = {"evidence": "exact"} if name == "bn" else {"budget__simulations": 8}
    changes |= {"mixture": "swift"} if name == "best" else {}
    one = Client(partial(make, spec_of(name, **changes)), seed=3)
    others = [client(), client("closure")]
    with seat_clients([partial(each.serve, patience=600) for each in (one, *others)]) as ends:
        server = Server(ends, seed=2)
        assert server.play()[0] in range(3)
    assert one.games == 1


def test_a_player_decides_as_at_the_referees_table():
    """By the same events as in a game of the referee, each view is that of the referee's."""
    seen, rules = [], preset("speed_clue", players=3)

    class Watched(Player):
        def __init__(self):
            super().__init__("watched")

        def begin(self, rules, seat, view, key):
            self.twin = make(spec_of("entropy"), rules)
            self.twin.begin(rules, seat, view, key)

        def see(self, event):
            self.twin.see(event)

        def decide(self, view):
            seen.append(view.copy())
            return self.twin.decide(view)

    sits = [Watched(), PolicyPlayer("closure"), PolicyPlayer("swift")]
    events = []

    def watch(state, action):
        events.append((state.copy(), action))

    play(rules, sits, 5, 0, watch)
    at_table, seen[:] = seen[:], []
    one = Client(lambda rules: Watched(), seed=0)
    hand = int(events[0][0]["hand"][0])
    send(one, f"reset 3 0 {write_cards(hand)}")
    for (before, action), (after, _) in pairwise(events):
        answerer = int(after["answerer"])
        if 10 <= action < 46 and before["seat"] == 0:
            assert send(one, "suggest") == [f"suggest {write_cards(int(after['cards']))}"]
        if after["phase"] == 3 and before["phase"] in (1, 2):  # concluded
            asker, cards = int(after["seat"]), write_cards(int(after["cards"]))
            card = ""
            if answerer >= 0 and 0 in (asker, answerer):
                shown = action - 370 if before["phase"] == 2 else None
                both = int(before["hand"][answerer]) & int(after["cards"])
                card = both.bit_length() - 1 if shown is None else shown
                card = f" {[*LETTERS.values()][card]}"
            send(one, f"suggestion {asker} {cards} {answerer if answerer >= 0 else '-'}{card}")
        if before["phase"] == 3 and before["seat"] == 0:
            assert (send(one, "accuse") == ["-"]) == (action == 391)
    blind = ("key", "stream", "roll", "walked", "winner")  # of dice that nobody rolls
    assert len(seen) == len(at_table)
    for ours, theirs in zip(seen, at_table, strict=True):
        for field in ours.dtype.names:
            if field not in blind:
                assert np.array_equal(ours[field], theirs[field]), field


NONSENSE = [
    ((), "suggest", "'suggest', but no game is running"),
    ((), "x" * 600, "513 bytes at once, of at most 512"),
    ((), "reset 3 1 Pl Kn Ro Ha Li", "dealt 5 cards to seat 1, which gets 6"),
    ((), "reset 3 1 Pl Kn Ro Ha Li Xx", "there is no card 'xx'"),
    ((RESET,), "accuse", "an accusation that does not follow our suggestion"),
    ((RESET,), "disprove 0 Wh Pi Bi", "asked for Wh Pi Bi, of which we hold none"),
    ((RESET,), "suggestion 0 Wh Pi Bi 0", "the server's answer to Wh Pi Bi is impossible"),
    ((RESET,), "suggestion 0 Wh Pi Bi 1 Pi", "wrong on who can show Wh Pi Bi"),
    ((RESET,), "suggestion 0 Pl Pi Bi 1", "shows a card to seats that may not see it"),
    ((RESET,), "accusation 0 Wh Pi Bi -", "an accusation of seat 0 out of its turn"),
]


@pytest.mark.parametrize(("before", "message", "sentence"), NONSENSE)
def test_nonsense_is_refused_in_a_sentence(before, message, sentence):
    one = client(Policy("swift"))
    send(one, *before)
    with pytest.raises(BadServer) as refused:
        send(one, message[:513])
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["swift", "greedy"])
def test_answers_that_no_deal_explains_are_refused_whoever_plays(name):
    """Seat 2 has passed on all of Wh, Pi and Bi, so it shows none of them; control: Gr."""

    def after(*last):
        one = client(Policy(name))
        send(one, RESET, "suggestion 0 Wh Pi Bi -")
        asked = send(one, "suggest")[0].removeprefix("suggest ")
        hidden = next((card for card in asked.split() if card not in f"{HAND} Wh Pi Bi"), None)
        send(one, f"suggestion 1 {asked} " + (f"2 {hidden}" if hidden else "-"), "accuse")
        return send(one, *last)

    assert after("suggestion 2 Wh Pi Di -", "suggestion 0 Gr Pi Bi 2") == ["ok", "ok"]
    with pytest.raises(BadServer, match="no deal explains its answer to Wh Pi Bi"):
        after("suggestion 2 Wh Pi Di -", "suggestion 0 Wh Pi Bi 2")
    # What nobody holds is the envelope, and no wrong accusation.
    assert after("suggestion 2 Wh Pi Bi -", "accusation 2 Wh Pi Ba -") == ["ok", "ok"]
    with pytest.raises(BadServer, match="no deal explains its verdict on Wh Pi Bi"):
        after("suggestion 2 Wh Pi Bi -", "accusation 2 Wh Pi Bi -")


def test_a_player_hears_what_was_accused():
    class Listener(Player):
        def begin(self, rules, seat, view, key):
            self.heard = []

        def see(self, event):
            self.heard.append(event)

    player = Listener("listener")
    one = Client(lambda rules: player, seed=0)
    send(one, RESET, "suggestion 0 Wh Pi Bi -", "accusation 0 Wh Pi Ba -")
    asked, (seat, cards, *rest) = player.heard
    assert (asked[2], seat, rest, write_cards(cards)) == (-1, 0, [ACCUSED, -1], "Wh Pi Ba")


def serve(one, messages, patience=30.0):
    """Let a client serve a server that sends ``messages`` and goes away; return its fault."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for message in messages:
            ours.sendall(message)
        if patience == 30.0:
            ours.shutdown(socket.SHUT_WR)
        with pytest.raises(BadServer) as refused:
            one.serve(theirs, "ours", patience)
    return str(refused.value)


def test_a_server_that_goes_away_in_a_game():
    assert serve(client(), [RESET.encode()]) == "the server disconnected during a game"


def test_a_silent_server():
    assert serve(client(), [], patience=0.01) == "the server was silent for 0.01 s"


def test_a_server_that_floods():
    assert "bytes at once" in serve(client(), [b"suggest " * 500])


def test_no_server():
    with socket.create_server(("localhost", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(BadServer, match=f"no server at localhost:{port}: Connection refused"):
        enter(client(), "localhost", port, "ours", 1)


def test_a_game_that_ended_by_the_last_one_standing_is_over():
    one = client()
    send(one, RESET)
    for seat in (0, 2):
        send(one, f"suggestion {seat} Wh Pi Bi -", f"accusation {seat} Wh Pi Ba -")
        if seat == 0:
            asked = send(one, "suggest")[0].removeprefix("suggest ")
            held = set(asked.split()) & set(HAND.split())
            assert send(one, f"suggestion 1 {asked} -", "accuse")[1] == "-" or not held
    with pytest.raises(BadServer, match="no game is running"):
        send(one, "suggest")


def test_a_player_that_breaks_the_rules_is_named():
    class Odd(Player):
        def decide(self, view):
            return 9999

    one = Client(lambda rules: Odd("odd"), seed=0)
    send(one, "reset 3 0 Pl Kn Ro Ha Li Lo")
    with pytest.raises(IllegalAction, match="odd chose action 9999"):
        send(one, "suggest")
