"""Outcomes in a tree: probabilities that sum to one, and beliefs that are exact posteriors."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from belief.events import check_events, record
from belief.exact.solver import ExactPosterior
from belief.information import entropy
from experiments.explain import outcomes, recorded
from experiments.explain.outcomes import annotate, see
from experiments.explain.simulations import step_by_step
from experiments.settings.config import compose
from mcts.inspect import export
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON
from sim.planning.information_sets import Answer, read_answer
from sim.players.registry import make
from sim.records.record import read
from sim.state import ACCUSE, ASK
from sim.suggestion_events import suggestion_events
from sim.words import action_to_string

FILE = Path(__file__).parents[1] / "data" / "game.jsonl"
SUGGESTS = 15
"""Line of `FILE` on which a seat in a room suggests."""


@pytest.fixture(scope="module")
def search():
    """A decision, the evidence before it, and the graph of a search of 4,000 simulations."""
    decision = next(one for one in recorded.decisions(read(FILE)) if one.line == SUGGESTS)
    spec = compose("compare", ["player=bmcts", "player.budget.simulations=4000"]).player
    player = make(OmegaConf.to_container(spec, resolve=True), decision.record.rules)
    recorded.consider(player, decision, seed=0)
    evidence = player.position(decision.view).root[0].evidence[decision.seat]
    seen = partial(see, decision.seat, decision.record.rules.suspects)
    graph = export(player.search.tree, None, action_to_string, seen=seen)
    annotate(graph, decision, evidence)
    return decision, evidence, graph


def list_answers(graph):
    """Yield each own suggestion at the root, its visits and its outcomes."""
    below: dict[int, list[int]] = {}
    for _, node, done in graph.out_edges(0, data=True):
        if ASK <= done["action"] < ACCUSE:
            below.setdefault(done["action"], []).append(node)
    for action, nodes in below.items():
        yield action, graph.edges[0, nodes[0]]["visits"], nodes


def believe(decision, evidence, asked):
    """Return the exact posterior after the answers ``asked`` to own suggestions."""
    players = decision.record.rules.players
    events, _ = suggestion_events(asked, decision.seat, players)
    held = np.array(evidence).reshape(1).copy()
    record(held, check_events(events, held))
    return ExactPosterior(held[0])


def test_probabilities_sum_to_one_and_shares_are_near_them(search):
    _, _, graph = search
    tested = 0
    for _, visits, nodes in list_answers(graph):
        chances = [graph.nodes[node]["probability"] for node in nodes]
        if visits > 300:
            assert sum(chances) == pytest.approx(1.0, abs=0.02), "what was never met is rare"
            for node, chance in zip(nodes, chances, strict=True):
                share = graph.nodes[node]["visits"] / visits
                assert share == pytest.approx(chance, abs=5 * (0.25 / visits) ** 0.5)
            tested += 1
        assert sum(chances) <= 1.0 + 1e-9
    assert tested > 1


def test_beliefs_are_the_posterior_of_that_history(search):
    """Also after a second own suggestion on the way."""
    decision, evidence, graph = search
    tested, deep = 0, 0
    for node, about in graph.nodes(data=True):
        if "probability" not in about:
            continue
        way, at, room = [], node, decision.room
        while at:
            (above,) = graph.predecessors(at)
            way.append((graph.edges[above, at]["action"], graph.nodes[at]["kind"]))
            at = above
        asked = []
        for action, kind in reversed(way):
            if action < 9:
                room = action
            elif ASK <= action < ACCUSE:
                suspect, weapon = divmod(action - ASK, 6)
                cards = 1 << suspect | 1 << FIRST_WEAPON + weapon | 1 << FIRST_ROOM + room
                answer = read_answer(kind)
                asked.append((decision.seat, cards, answer.answerer, answer.card))
        posterior = believe(decision, evidence, asked)
        inside = posterior.marginals[:, 0]
        known = {CARDS[card]: inside[card] for card in inside.nonzero()[0]}
        assert about["envelope"] == pytest.approx(known)
        assert about["bits"] == pytest.approx(entropy(posterior.envelope_table().ravel()))
        before = believe(decision, evidence, asked[:-1])
        chance = np.exp(posterior.log_weight - before.log_weight)
        assert about["probability"] == pytest.approx(chance)
        tested, deep = tested + 1, deep + (len(asked) > 1)
    assert tested > 20 and deep > 0


def test_a_belief_of_another_history_is_found_out(search, monkeypatch):
    """Control: the answers are read as if the seat after the one that answered had."""
    decision, evidence, graph = search

    def shift(asked, seat, players):
        (one,) = asked
        answerer = one[2] if one[2] < 0 else (one[2] + 1) % players
        return suggestion_events(
            [(*one[:2], -1 if answerer == seat else answerer, one[3])], seat, players
        )

    monkeypatch.setattr(outcomes, "suggestion_events", shift)
    wrong = graph.copy()
    annotate(wrong, decision, evidence)
    with pytest.raises(AssertionError):
        test_beliefs_are_the_posterior_of_that_history((decision, evidence, wrong))
    with pytest.raises(AssertionError):
        test_probabilities_sum_to_one_and_shares_are_near_them((decision, evidence, wrong))


def test_outcomes_are_said_as_the_seat_saw_them():
    names = ["Ann", "Ben", "Eve"]
    say = partial(see, 0, names)
    kinds = {read_answer(kind): kind for kind in range(1, 2000)}

    def kind(*answer):
        return kinds[Answer(*answer)]

    rope = CARDS.index("rope")
    assert say(ASK, kind(0, 1, rope)) == "Ben shows the rope"
    assert say(ASK, kind(0, 1, CARDS.index("Green"))) == "Ben shows the card Green"
    assert say(ASK, kind(0, -1, -1)) == "nobody answers"
    assert say(ASK, kind(1, 2, -1)) == "Eve shows Ben something"
    assert say(ASK, kind(2, 0, rope)) == "Ann shows Eve the rope"
    assert say(ASK, kind(1, -1, -1)) == "nobody answers Ben"
    assert say(0, 0) == "" and say(391, 0) == "the others play"


@pytest.fixture(scope="module")
def steps():
    """The content of a page of a decision's first 20 simulations, and the visits of that search."""
    decision = next(one for one in recorded.decisions(read(FILE)) if one.line == SUGGESTS)
    options = ["player=bmcts", "player.transpositions=false", "player.budget.simulations=20"]
    spec = compose("compare", options).player
    player = make(OmegaConf.to_container(spec, resolve=True), decision.record.rules)
    page = step_by_step(player, decision, seed=0, count=20)
    recorded.consider(player, decision, seed=0)
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1]), player.result


def test_the_page_of_simulations_adds_up_to_the_search(steps):
    data, result = steps
    ways = [step["way"] for step in data["simulations"]]
    first = [data["nodes"][way[0]]["action"] for way in ways]
    done = zip(result.actions.tolist(), result.visits.tolist(), strict=True)
    assert Counter(first) == {action_to_string(action): n for action, n in done if n}
    for way in ways:
        above = [data["nodes"][node]["above"] for node in way]
        assert above == [0, *way[:-1]]
    for node, about in enumerate(data["nodes"]):
        assert about["visits"] == sum(node in way for way in ways) or node == 0
