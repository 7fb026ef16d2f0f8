"""A game of the contest as one seat sees it: its state, and its player's decisions.

The state is that of `sim.game` under ``rules=speed_clue``, without hidden information: the server
holds the cards.  Anything that contradicts the rules, or our hand, is the server's fault.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.base import Setting
from belief.beliefs.exact import ExactBelief
from belief.evidence import ContradictoryEvidence, EvidenceFull, count
from benchmarks.contest.messages import BadServer, write_cards
from sim.arena import Memory, act
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.game import apply, new_game, next_turn
from sim.knowledge import begin, learn, open_public, witness
from sim.legal import legal
from sim.player import IllegalAction, Player
from sim.policies import greedy
from sim.policies.registry import SHOWING, seat_policies
from sim.rules import Rules, world
from sim.state import (
    ACCUSE,
    ACCUSED,
    ASK,
    END,
    EXTERNAL,
    N_ACTIONS,
    OVER,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    empty,
)
from sim.suggestion_events import suggestion_events
from sim.view import view_of


class Table:
    """One game: the seat that a server gave us, and the ``player`` in it.

    ``hand`` is the mask of its cards, ``key`` names the player's chance.  Its methods raise
    BadServer for an impossible message of the server, and IllegalAction if the player breaks the
    rules.
    """

    def __init__(self, rules: Rules, seat: int, hand: int, player: Player, key: int) -> None:
        if count(hand) != rules.hand_sizes[seat]:
            held, dealt = count(hand), rules.hand_sizes[seat]
            raise BadServer(f"the server dealt {held} cards to seat {seat}, which gets {dealt}")
        self._player, self._seat, self._rules = player, seat, rules
        self._board = world(rules)[0]
        self._state = empty()[0]
        policies = [player.policy if other == seat else None for other in range(rules.players)]
        self._memory = Memory(policies)
        s = self._state
        seat_policies(s, policies)
        if player.policy is None:
            s.showing[seat] = EXTERNAL if player.picks_cards else SHOWING.index(player.showing)
        new_game(self._board, s, np.uint64(key))
        s.envelope = s.face_up = 0
        s.hand[:] = 0
        s.hand[seat] = hand
        begin(self._board, s, seat)
        open_public(self._board, s)
        self._asked = 0
        self._said = ExactBelief(Setting(rules.players, seat, rules.hand_sizes, hand))
        if player.policy is None:
            player.begin(rules, seat, view_of(s, seat), key)

    def suggest(self) -> int:
        """Return the mask of the cards that the player names in its turn."""
        self._turn_of(self._seat)
        apply(self._board, self._state, self._decide())
        pair = self._decide() - ASK
        room = int(self._board.room_of[self._state.spot[self._seat]])
        suspect, weapon = divmod(pair, 6)
        self._asked = 1 << suspect | 1 << FIRST_WEAPON + weapon | 1 << FIRST_ROOM + room
        return self._asked

    def show(self, asker: int, cards: int) -> int:
        """Return the card of ``cards`` that the player shows to ``asker``."""
        s = self._state
        if asker == self._seat or not s.hand[self._seat] & cards:
            raise BadServer(f"the server asked for {write_cards(cards)}, of which we hold none")
        self._turn_of(asker)
        s.phase, s.cards, s.answerer = SHOW, cards, self._seat
        card = self._decide() - REVEAL
        s.phase = TURN
        return card

    def note_suggestion(self, asker: int, cards: int, answerer: int, card: int) -> None:
        """Process a suggestion and its answer; ``card`` is -1 if we do not see it."""
        s, seat, players = self._state, self._seat, self._rules.players
        mine = int(s.hand[seat])
        self._check_answer(asker, cards, answerer, card)
        if asker == seat and self._asked != cards:
            raise BadServer(f"the server reports {write_cards(cards)}, which we did not suggest")
        between = range(1, (answerer - asker) % players) if answerer >= 0 else range(1, players)
        passed = {(asker + step) % players for step in between}
        if (seat in passed and mine & cards) or (seat == answerer and not mine & cards):
            raise BadServer(f"the server is wrong on who can show {write_cards(cards)}")
        self._turn_of(asker)
        self._asked = 0
        room = (cards >> FIRST_ROOM).bit_length() - 1
        suspect, weapon = (cards & -cards).bit_length() - 1, (cards >> FIRST_WEAPON & 63)
        s.named[asker, room] |= 1 << 6 * suspect + weapon.bit_length() - 1
        s.spot[asker] = self._board.start[asker]
        s.cards, s.answerer = cards, answerer
        s.asked += 1
        s.suggestions[asker] += 1
        s.phase = END
        if card >= 0:
            s.has_shown[answerer, asker] |= 1 << card
        self._take_in((asker, cards, answerer, card))

    def accuse(self) -> int:
        """Return the mask of the envelope that the player accuses, 0 without an accusation."""
        s = self._state
        if s.phase != END or s.seat != self._seat:
            raise BadServer(
                "the server asked for an accusation that does not follow our suggestion"
            )
        action = self._decide()
        if not ACCUSE <= action < REVEAL:
            return 0
        pair, room = divmod(action - ACCUSE, 9)
        return 1 << pair // 6 | 1 << FIRST_WEAPON + pair % 6 | 1 << FIRST_ROOM + room

    def note_accusation(self, seat: int, cards: int, right: bool) -> None:
        """Process an accusation of ``cards`` by ``seat``: a right one ends the game."""
        s = self._state
        if s.phase != END or s.seat != seat:
            raise BadServer(f"the server reports an accusation of seat {seat} out of its turn")
        if right:
            s.phase = OVER
            return
        s.out[seat] = 1
        self._take_in((seat, cards, ACCUSED, -1))
        next_turn(self._board, s)

    def _take_in(self, event: tuple[int, int, int, int]) -> None:
        """Show the player an ``event``; BadServer if no deal explains all its messages."""
        asker, cards, answerer, card = event
        what = "verdict on" if answerer == ACCUSED else "answer to"
        try:
            self._said.observe(suggestion_events([event], self._seat, self._rules.players)[0])
            _ = self._said.posterior  # raises if there is none
        except ContradictoryEvidence:
            raise BadServer(
                f"the server contradicts itself: no deal explains its {what} "
                f"{write_cards(cards)} and those before"
            ) from None
        except EvidenceFull as fault:
            raise BadServer(f"the server sent more than a game can hold: {fault}") from None
        witness(self._board, self._state, asker, cards, answerer)
        learn(self._board, self._state, self._seat, asker, cards, answerer, card)
        self._player.see(event)

    def _check_answer(self, asker: int, cards: int, answerer: int, card: int) -> None:
        """Raise BadServer for an answer that does not fit its suggestion or shows us too little."""
        odd = asker >= self._rules.players or answerer >= self._rules.players or answerer == asker
        if odd or (card >= 0 and not cards >> card & 1):
            raise BadServer(f"the server's answer to {write_cards(cards)} is impossible")
        if answerer >= 0 and (card >= 0) != (self._seat in (asker, answerer)):
            raise BadServer("the server shows a card to seats that may not see it, or not to us")

    def _turn_of(self, seat: int) -> None:
        """Pass the turn on to ``seat``, past those who did not accuse."""
        s = self._state
        if s.phase != END and s.phase != OVER and s.seat == seat:
            return
        if s.phase == END and s.seat != seat:
            next_turn(self._board, s)
        if s.phase not in (TURN, SUGGEST) or s.seat != seat:
            raise BadServer(f"the server gave seat {seat} a turn that is not its own")

    @property
    def over(self) -> bool:
        """Whether a player has accused rightly, or only one has not accused wrongly."""
        s, players = self._state, self._rules.players
        return bool(s.phase == OVER or s.out[:players].sum() == players - 1)

    def _act(self) -> int:
        """Return the action of the seat's compiled policy, or `greedy.UNSOLVED`."""
        return int(act(self._board, self._state, self._memory.work, self._memory.sample))

    def _decide(self) -> int:
        """Return the action of the player; IllegalAction if it is not legal."""
        s, player = self._state, self._player
        if player.policy is None and (s.phase != SHOW or player.picks_cards):
            action = int(player.decide(view_of(s, self._seat)))
        else:
            while (action := self._act()) == greedy.UNSOLVED:
                self._memory.grow()
        options = np.empty(N_ACTIONS, np.int64)
        if action not in options[: legal(self._board, s, options)]:
            raise IllegalAction(f"{player.name} chose action {action}")
        return action
