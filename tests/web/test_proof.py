"""Proofs of certain marks: they suffice, need each of their facts, and know what the seat knows."""

from dataclasses import replace
from itertools import combinations

import pytest
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.web.analysis import proof
from experiments.web.analysis.notebook import NO, YES, Knowledge, notebook
from experiments.web.analysis.proof import prove
from experiments.web.tables.table import Table
from sim.cards import CARDS
from sim.records.record import knows
from sim.rules import preset

RULES = preset("ledford", players=4)


def mask(*names):
    return sum(1 << CARDS.index(name) for name in names)


def knows_of(*suggestions, hand=("Mustard", "knife", "Hall", "Study"), face_up=("Kitchen", "rope")):
    """Return the knowledge of seat 0 after ``suggestions`` in turns 1, 2 and so on."""
    turns = range(1, len(suggestions) + 1)
    return Knowledge(RULES, 0, mask(*hand), mask(*face_up), suggestions, tuple(turns))


def why(knowledge, card, column, exact=True):
    return prove(knowledge, CARDS.index(card), column, exact)


@pytest.fixture(scope="module")
def finished_games(tmp_path_factory):
    """Games of computers that are over."""
    tables = []
    for players in (3, 5):
        seats, folder = (COMPUTER,) * players, tmp_path_factory.mktemp("played")
        tables.append(Table(setup(*seats, game=3, name="classic", players=players), folder))
        play_to_prompt(tables[-1])
    return [table.game for table in tables]


def marks(knowledge):
    """Yield card, column and what is certain of them."""
    page = notebook(knowledge, chance=True)
    for card, line in enumerate(page["cards"]):
        for column, said in enumerate(line["holders"]):
            if said == "maybe" and page["chance"] and page["chance"][card][column] in (0.0, 1.0):
                yield card, column, YES if page["chance"][card][column] else NO
            elif said != "maybe":
                yield card, column, said


def test_own_cards_and_those_face_up_are_their_own_reason():
    known = knows_of()
    for card, column, holds, kind in (
        ("Hall", 1, YES, "own"),
        ("Hall", 0, NO, "own"),
        ("Plum", 1, NO, "not_own"),
        ("rope", 3, NO, "face_up"),
    ):
        found = why(known, card, column)
        assert found == {
            "holds": holds,
            "facts": [{"kind": kind, "cards": [card]}],
            "sizes": None,
            "shares": None,
            "more": None,
        }
    assert why(known, "Plum", 2) is None and why(known, "Plum", 0) is None


def test_nobody_answers_and_so_it_is_in_the_envelope():
    """A question of one's own for an own room and a card that lies open: Plum is in there."""
    plum = 0, mask("Plum", "rope", "Hall"), -1, -1
    other = 1, mask("Green", "wrench", "Lounge"), 2, -1
    found = why(knows_of(other, plum), "Plum", 0)
    assert found["holds"] == YES and found["sizes"] is None
    assert found["facts"] == [
        {"kind": "not_own", "cards": ["Plum"]},
        {"kind": "not_face_up", "cards": ["Plum"]},
        {
            "kind": "passes",
            "turn": 2,
            "asker": 0,
            "by": [1, 2, 3],
            "cards": ["Plum", "rope", "Hall"],
            "card": None,
        },
    ]


def test_a_full_hand_names_the_sizes():
    """Seat 1 has shown all of its hand: what else it lacks follows from how many it holds."""
    shown = ["Plum", "wrench", "Lounge", "Library"]
    beside = {"Plum": ("knife", "Hall"), "wrench": ("Mustard", "Hall")}
    asked = [
        (0, mask(card, *beside.get(card, ("Mustard", "knife"))), 1, CARDS.index(card))
        for card in shown
    ]
    size = RULES.hand_sizes[1]
    found = why(knows_of(*asked[:size]), "Ballroom", 2)
    assert found["holds"] == NO and found["sizes"] == list(RULES.hand_sizes)
    assert [fact["card"] for fact in found["facts"]] == shown[:size]
    assert why(knows_of(*asked[: size - 1]), "Ballroom", 2) is None


def test_what_the_posterior_alone_proves_is_proved_with_hints_alone(finished_games):
    """The closure misses it: such a mark is open without hints, and so is its reason."""
    found = 0
    for game in finished_games:
        for end in range(10, len(game.events), 40):
            known = Knowledge.of(game.rules, 1, game.events[:end])
            sure = notebook(known, chance=False)["cards"]
            for card, column, holds in marks(known):
                if sure[card]["holders"][column] == "maybe":
                    assert prove(known, card, column, exact=False) is None
                    assert prove(known, card, column, exact=True)["holds"] == holds
                    found += 1
    assert found


def list_facts(known, found):
    """Return the facts that the proof ``found`` names, one by one."""
    facts = []
    for fact in proof._list_facts(known):
        for said in found["facts"]:
            if said["kind"] != fact.kind:
                continue
            if fact.suggestion < 0:
                facts += [fact] if CARDS[fact.row[2].bit_length() - 1] in said["cards"] else []
            elif known.turns[fact.suggestion] == said["turn"] and fact.row[1] in said["by"]:
                facts.append(fact)
    return facts


def test_each_mark_has_a_proof_and_each_proof_needs_all_of_its_facts(finished_games):
    several = 0
    for game in finished_games:
        for end in range(30, len(game.events), 60):
            known = Knowledge.of(game.rules, 2, game.events[:end])
            for card, column, holds in marks(known):
                found = prove(known, card, column, True)
                assert found["holds"] == holds and found["more"] is None
                facts = list_facts(known, found)
                prover = proof._Prover(known, card, column, True)
                assert prover._proves(facts)
                several += len(facts) > 2
                for fewer in combinations(facts, len(facts) - 1):
                    assert not prover._proves(fewer)
    assert several


def test_a_proof_is_of_what_the_seat_knows(finished_games):
    """Whatever the hidden cards are, the proof is the same; the control is one event less."""
    for game in finished_games:
        events = game.events[:-1]
        known = Knowledge.of(game.rules, 0, events)
        wrong = {"card": CARDS[0], "cards": [CARDS[0]]}
        others = [event if knows(event, 0) else {**event, **wrong} for event in events]
        assert others != events
        other = Knowledge.of(game.rules, 0, others)
        certain = list(marks(known))[::5]
        proofs = [prove(known, card, column, True) for card, column, _ in certain]
        assert proofs == [prove(other, card, column, True) for card, column, _ in certain]
        early = Knowledge.of(game.rules, 0, events[: len(events) // 3])
        assert None in [prove(early, card, column, True) for card, column, _ in certain]


def test_a_long_proof_is_not_shown(finished_games, monkeypatch):
    """Nor is it computed for long: with no posterior to solve, the closure's facts stay."""
    game = finished_games[0]
    known = Knowledge.of(game.rules, 0, game.events)
    card, column = next(
        (card, column)
        for card, column, _ in marks(known)
        if len([f for f in prove(known, card, column, True)["facts"] if "turn" in f]) > 1
    )
    monkeypatch.setattr(proof, "MOST_OBSERVATIONS", 1)
    found = prove(known, card, column, True)
    assert found["more"] == 1 and found["facts"] == []


def test_posteriors_are_limited(finished_games, monkeypatch):
    solved = []
    exact = proof.ExactPosterior
    monkeypatch.setattr(proof, "ExactPosterior", lambda *one: solved.append(one) or exact(*one))
    monkeypatch.setattr(proof, "MOST_SOLVES", 3)
    known = Knowledge.of(finished_games[0].rules, 0, finished_games[0].events)
    for card, column, _ in list(marks(known))[::5]:
        solved.clear()
        prove(known, card, column, True)
        assert len(solved) <= 3


def test_while_cards_are_dealt_the_own_hand_is_the_reason():
    known = replace(knows_of(), face_up=None)
    assert why(known, "Hall", 1)["facts"] == [{"kind": "own", "cards": ["Hall"]}]
    assert why(known, "Plum", 1) is None


def test_public_shares_are_named_where_they_are_needed():
    """All suspects that seat 1 was dealt are known, so it has no other, by the shares alone."""
    rules = preset("ferrari2009")
    suspects = rules.shares[1][0]
    hand = ["Mustard", "Scarlett", "Plum", "Green", "White", "Peacock"][: rules.shares[0][0]]
    rest = [card for card in CARDS[:6] if card not in hand]
    others = [*CARDS[6 : 6 + rules.shares[0][1]], *CARDS[12 : 12 + rules.shares[0][2]]]
    asked = [(0, mask(card, CARDS[6], CARDS[12]), 1, CARDS.index(card)) for card in rest[:suspects]]
    known = Knowledge(rules, 0, mask(*hand, *others), 0, asked, tuple(range(1, 9)))
    found = why(known, rest[suspects], 2)
    assert found["holds"] == NO and found["shares"] == rules.shares
