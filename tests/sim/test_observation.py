"""Observations are correct, and contain no hidden information."""

import copy

import numpy as np
import pytest
from env_play import GAMES, begin_game, over, play, quiet, read

from sim.cards import CATEGORY_MASK, FIRST_ROOM
from sim.chance import game_key
from sim.game import apply, decider, new_game
from sim.legal import legal
from sim.rules import PRESETS, world
from sim.state import EXTERNAL, N_ACTIONS, REVEAL, SHOW, empty
from sim.view import seen_by


@pytest.mark.parametrize(("rules", "switches"), GAMES)
def test_masks_and_observations_follow_the_machine(rules, switches):
    rng = np.random.default_rng(1)
    reached = set()
    core = begin_game(rules, **switches)
    board, state = world(core.rules)[0], empty()[0]
    state.policy[:] = state.showing[:] = EXTERNAL
    new_game(board, state, np.uint64(game_key(5, 0)))
    options, asked = np.empty(N_ACTIONS, np.int64), []
    for agent, seen in play(core, rng, 150):
        assert agent == f"player_{decider(state)}"
        chosen = options[: legal(board, state, options)].tolist()
        assert np.flatnonzero(seen["action_mask"]).tolist() == chosen
        reached.add(int(state.phase))
        for other in core.agents:
            now = core.observe(other)
            assert core.observation_space(other).contains(now)
            assert other == agent or not now["action_mask"].any()
            check_fields(read(now), state, board, core.agents.index(other), asked)
        before = copy.deepcopy(state)
        yet = core._state.asked, core._state.phase
        # The same generator at the same place: what `play` is about to do.
        action = quiet(seen["action_mask"], copy.deepcopy(rng))
        apply(board, state, action)
        if (state.asked > before.asked and state.phase != SHOW) or before.phase == SHOW:
            asked.insert(0, answer(before, state, action))
        assert yet == (before.asked, before.phase)
    assert SHOW in reached and len(reached) >= 3


def answer(before, after, action):
    """Return the (asker, cards, answerer, card) that the step from ``before`` ended."""
    cards, answerer = int(after.cards), int(after.answerer)
    if before.phase == SHOW:
        return int(before.seat), cards, answerer, action - REVEAL
    card = int(after.hand[answerer] & cards).bit_length() - 1 if answerer >= 0 else -1
    return int(before.seat), cards, answerer, card


def bits(cards):
    return [int(cards) >> card & 1 for card in range(21)]


def check_fields(seen, state, board, seat, asked):
    """Ask that an observation says what is true of ``state``; ``asked`` is latest first."""
    players = int(board.players)
    assert (seen["players"], seen["seat"], seen["turn_cap"]) == (players, seat, board.turn_cap)
    assert (seen["phase"], seen["turn"], seen["roll"]) == (state.phase, state.turn, state.roll)
    assert (seat + seen["turn_of"]) % players == state.seat and seen["winner"] == -1
    assert seen["hand"].tolist() == bits(state.hand[seat])
    assert seen["face_up"].tolist() == bits(state.face_up)
    question = [int(state.cards & kind).bit_length() - 1 for kind in CATEGORY_MASK]
    assert seen["question"].tolist() == (question if state.phase == SHOW else [-1] * 3)
    for place in range(players, 6):
        assert seen["suspect"][place] == seen["spot"][place] == seen["room"][place] == -1
        assert not seen["hand_size"][place] and not seen["suggestions"][place]
    for place in range(players):
        other = (seat + place) % players
        assert board.seat_of[seen["suspect"][place]] == other
        assert seen["hand_size"][place] == int(state.hand[other]).bit_count()
        spot = seen["spot"][place]
        assert spot == state.spot[other] and seen["room"][place] == board.room_of[spot]
        if spot < 188:
            assert board.row[spot] == seen["row"][place] + 1
            assert board.column[spot] == seen["column"][place]
        for field in ("summoned", "out", "suggestions"):
            assert seen[field][place] == state[field][other]
        said = [int(state.heard[other] & kind).bit_length() - 1 for kind in CATEGORY_MASK]
        assert seen["accused"][place].tolist() == said
        to_me = {card for asker, _, by, card in asked if (asker, by) == (seat, other)}
        by_me = {card for asker, _, by, card in asked if (asker, by) == (other, seat)}
        assert set(np.flatnonzero(seen["shown_to_me"][place])) == to_me
        assert set(np.flatnonzero(seen["shown_by_me"][place])) == by_me
    rows = seen["history"]
    assert (rows[len(asked) :] == -1).all()
    for row, (asker, cards, answerer, card) in zip(rows, asked, strict=False):
        assert (seat + row[0]) % players == asker
        assert sum(1 << c for c in row[1:4].tolist()) == cards and row[3] >= FIRST_ROOM
        assert row[4] == ((answerer - seat) % players if answerer >= 0 else -1)
        assert row[5] == (card if seat in (asker, answerer) else -1)


def agree(rules, seat, game, rng):
    """Play a game and its twin, in which two cards that ``seat`` cannot see are exchanged.

    Compares what the seat observes, and what policies would do in it, until the twins differ in
    something that it is entitled to see.  Returns (whether all was equal, how many observations,
    and how often the twins' hidden answers differed).
    """
    one, two = begin_game(rules, game=game), begin_game(rules, game=game)
    state, players = two._state, two.rules.players
    held = {c: h for h in range(players) if h != seat for c in range(21) if state.hand[h] >> c & 1}
    first = int(rng.choice(list(held)))
    if game % 2:  # with the envelope
        kind = next(kind for kind in CATEGORY_MASK if kind >> first & 1)
        second = int(state.envelope & kind).bit_length() - 1
        state.envelope ^= 1 << first | 1 << second
    else:
        second = int(rng.choice([c for c, h in held.items() if h != held[first]]))
        state.hand[held[second]] ^= 1 << first | 1 << second
    state.hand[held[first]] ^= 1 << first | 1 << second
    agent, compared, hidden = one.agents[seat], 0, 0
    while not over(one) and one._state.turn < 150:
        seen = [core.observe(agent) for core in (one, two)]
        if any((seen[0][key] != seen[1][key]).any() for key in seen[0]):
            return False, compared, hidden
        compared += 1
        if one.agent_selection == agent:
            policy = ("heuristic", "closure")[compared % 2]
            if one.policy_action(policy) != two.policy_action(policy):
                return False, compared, hidden
        action = quiet(one.observe(one.agent_selection)["action_mask"], rng)
        other = action
        if one._state.phase == SHOW and agent != one.agent_selection:
            other = int(np.flatnonzero(two.observe(two.agent_selection)["action_mask"])[-1])
        one.step(action)
        two.step(other)
        truth = [last_event(core) for core in (one, two)]
        hidden += truth[0] != truth[1]
        if one._state.phase != two._state.phase or one.agent_selection != two.agent_selection:
            break
        if truth[0][:3] != truth[1][:3]:
            break
        if truth[0] != truth[1] and seat in (truth[0][0], truth[0][2]):
            break
    return True, compared, hidden


def last_event(core):
    """Return the last suggestion with the card that was shown, as its asker knows it."""
    asker = core._logs[0].events[-1:]["asker"]
    return tuple(core._logs[asker[0]].events[-1]) if len(asker) else (-1, 0, -1, -1)


def all_agree(rules, games):
    """Return what `agree` says of several games, seats in turn."""
    rng = np.random.default_rng(3)
    return [agree(rules, game % 3, game, rng) for game in range(games)]


@pytest.mark.parametrize("rules", PRESETS)
def test_a_seat_does_not_notice_hidden_cards_that_change_places(rules):
    equal, compared, hidden = zip(*all_agree(rules, 6), strict=True)
    assert all(equal)
    assert sum(compared) > 30 and sum(hidden) > 0


def leaky_view(states, seat):
    """Show the envelope among the cards that lie face up."""
    seen = seen_by(states, seat)
    seen[0].face_up |= states[0].envelope
    return seen


def two_handed_view(states, seat):
    """Show the next seat's hand with the own one."""
    seen = seen_by(states, seat)
    seen[0].hand[seat] |= states[0].hand[(seat + 1) % 3]
    return seen


@pytest.mark.parametrize(
    ("name", "leak"),
    [
        ("seen_by", leaky_view),
        ("seen_by", two_handed_view),
        ("as_seen", lambda event, seat: event),
    ],
)
def test_the_exchange_finds_a_leak(monkeypatch, name, leak):
    monkeypatch.setattr(f"sim.environment.aec.{name}", leak)
    assert not all(equal for equal, _, _ in all_agree("speed", 12))
