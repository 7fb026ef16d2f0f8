"""The constraint player: the compiled version equals the one by the papers' text; its knowledge."""

import numpy as np
import pytest
from presets import spec_of

from mcts.kernel.compile import INTERPRETED
from sim.contract.testing import check_player
from sim.game import open_decision
from sim.player import PolicyPlayer
from sim.players.registry import make
from sim.policies.csp import WALKS
from sim.policies.registry import Policy, choose, seat_policy
from sim.referee import play
from sim.rules import preset, world
from sim.state import empty
from sim.view import replay_evidence
from tests.sim.constraint import SPEC, ConstraintPlayer

PAPERS = ("ferrari2009", "cai2006")
GAMES = 1 if INTERPRETED else 10
AROUND = ("heuristic", "csp")


class Beside(ConstraintPlayer):
    """The interpreted player, and beside it what the compiled one decides of the same."""

    def __init__(self, walk, compiled):
        super().__init__(walk=walk)
        self.policy_beside, self.decided, self.apart = compiled, 0, 0

    def begin(self, rules, seat, view, key):
        super().begin(rules, seat, view, key)
        self.goal = -1

    def stream(self, s):
        return self.drawn.copy()

    def act(self, s):
        copy = empty()
        copy[0] = s
        other = copy[0]
        other.key = np.uint64(self.key)
        seat_policy(other, self.seat, self.policy_beside)
        replay_evidence(self.world, other, self.seat, self.log.events)
        other.goal[self.seat] = self.goal
        open_decision(other)
        self.drawn = other.stream.copy()
        theirs = int(choose(self.world, other, self.seat))
        self.goal = int(other.goal[self.seat])
        ours = super().act(s)
        self.decided += 1
        self.apart += ours != theirs
        return ours


def compare(rules, walk, compiled):
    """Return how many decisions there were in some games, and how many were not the same."""
    player = Beside(walk, compiled)
    for game in range(GAMES):
        seats = [PolicyPlayer(AROUND[i % 2]) for i in range(rules.players)]
        seats[game % rules.players] = player
        play(rules, seats, 5, game)
    return player.decided, player.apart


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("name", [*PAPERS, "speed"])
def test_the_compiled_player_is_the_interpreted_one(name, walk):
    rules = preset(name, turn_cap=90)
    decided, apart = compare(rules, walk, Policy("csp", walk=walk))
    assert decided > 15 * GAMES and apart == 0


def test_what_is_learnt_from_others_does_not_enter(monkeypatch):
    """The control: one that also strikes out what others were seen to name differs."""
    seen = ConstraintPlayer.see

    def nosy(self, event):
        seen(self, event)
        if event[0] != self.seat and event[2] == -1:
            self.constraints.note_silence({card for card in range(21) if event[1] >> card & 1})

    monkeypatch.setattr(ConstraintPlayer, "see", nosy)
    rules = preset("ferrari2009", turn_cap=200)
    assert INTERPRETED or compare(rules, "nearest", Policy("csp"))[1] > 0


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.parametrize("walk", WALKS)
def test_both_keep_the_contract(name, walk):
    rules = preset(name, turn_cap=120)
    for player in (spec_of("csp"), SPEC):
        spec = {**player, "walk": walk}
        assert check_player(lambda spec=spec: make(spec, rules), rules, games=1, swaps=1) > 0


def test_back_and_forth_it_suggests_in_two_rooms_until_suspect_and_weapon_are_known():
    rules = preset("ferrari2009", turn_cap=60)
    rooms, board = {walk: 0 for walk in WALKS}, world(rules)[0]
    for walk in WALKS:
        for game in range(GAMES):
            been = set()

            def note(state, action, been=been):
                cards = state.known[0] & 0xFFF
                if state.seat == 0 and 10 <= action < 46 and (~cards & 0x3F).bit_count() > 1:
                    been.add(int(board.room_of[state.spot[0]]))

            seats = [PolicyPlayer(Policy("csp", walk=walk)), *(PolicyPlayer("uniform"),) * 2]
            play(rules, seats, 3, game, note)
            rooms[walk] += len(been)
    assert rooms["adjacent"] < rooms["nearest"]
