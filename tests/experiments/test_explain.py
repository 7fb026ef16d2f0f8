"""The command shows what a player thinks of a decision, and reports bad input in one line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest

from belief.exact.solver import ExactPosterior
from belief.information import closed_form, entropy, expected_reduction
from experiments.explain import __main__ as explain
from experiments.explain import recorded
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON
from sim.player import Player
from sim.state import ACCUSE, ASK
from sim.words import action_to_string

FILE = Path(__file__).parents[1] / "data" / "game.jsonl"

BEGINS, SUGGESTS, ENDS = 69, 15, 67
"""Lines of `FILE` with decisions of the three phases of a turn."""

USUAL = {
    "player": "bmcts",
    "player.budget.simulations": 60,
    "tree.picture": "null",
    "tree.simulations": 0,
}
"""Settings that are not given: neither a picture is drawn nor are steps searched again."""


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command in this process; return exit code, output, errors and the run folder."""
    monkeypatch.setenv("COLUMNS", "200")
    runs = iter(range(100))

    def run(*arguments):
        folder = tmp_path / f"run{next(runs)}"
        given = {each.partition("=")[0] for each in arguments}
        given |= {"player.budget.simulations"} if "player" in given else set()
        given |= {"tree.simulations"} if "player=pimc" in arguments else set()  # it has none
        usual = [f"{key}={value}" for key, value in USUAL.items() if key not in given]
        monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
        code = explain.COMMAND.run([*usual, *arguments, f"run.folder={folder}"])
        return code, *capsys.readouterr(), folder

    return run


# What is refused


BAD = {
    f"record={FILE} event=15 turn=3": "event and turn are both given",
    f"record={FILE} seat=2 turn=39": "turn=39: seat 2 has no choice from there on; the game has 21",
    f"record={FILE} event=15 player=swift": "player=swift does not search",
    f"record={FILE} event=67 player.actions.least_accused=0.9": "bmcts has a single action",
}


@pytest.mark.parametrize("given", BAD, ids=range(len(BAD)))
def test_bad_input_gets_one_line(command, given):
    code, out, err, folder = command(*given.split())
    assert (code, out) == (1, "")
    assert BAD[given] in err
    assert err.startswith("sleuth-explain: ")
    assert err.count("\n") == 1, err
    assert not folder.exists()


# What is shown


@dataclass(frozen=True)
class Explanation:
    """Output and folder of the command, and who was asked about what."""

    out: str
    folder: Path
    player: Player
    decision: recorded.Decision

    @property
    def rows(self):
        """The table of actions, each a list of texts."""
        actions = self.out.partition("what may be seen")[0]
        lines = [line for line in actions.splitlines() if line.startswith("│")]
        return [[each.strip() for each in line.strip("│").split("│")] for line in lines]

    @property
    def evidence(self):
        """Evidence of the player, a record of `belief.evidence`."""
        return self.player.position(self.decision.view).root[0].evidence[self.decision.seat]


@pytest.fixture
def ask(command, monkeypatch):
    """Run the command on a line of `FILE`; return what it showed."""
    kept = []
    consider = recorded.consider

    def keeping(player, decision, seed):
        kept.append((player, decision))
        return consider(player, decision, seed)

    monkeypatch.setattr(recorded, "consider", keeping)

    def run(event, *arguments):
        code, out, err, folder = command(f"record={FILE}", f"event={event}", *arguments)
        assert (code, err) == (0, "")
        return Explanation(out, folder, *kept[-1])

    return run


@pytest.mark.parametrize(("given", "line"), [("", 9), ("turn=2", 31), ("seat=1 turn=5", 36)])
def test_a_turn_names_its_first_decision(command, given, line):
    """Without a seat it is that of the player from outside, seat 0; it was called in turn 5."""
    code, out, err, _ = command(f"record={FILE}", *given.split())
    assert (code, err) == (0, "") and out.startswith(f"line {line}, rules classic")


@pytest.mark.parametrize(
    ("settings", "begins"),
    [
        (["player=bmcts_faithful"], "its belief (factored) differs from the exact posterior in 63"),
        (["player.own_card_weight=0.1"], "its belief (exact, reading suggestions) differs from"),
        (["player.opponents=mixture"], "takes seat 1 (Mustard) for: "),
    ],
)
def test_what_a_planner_assumes_is_stated(command, settings, begins):
    """The control: a planner with the exact belief and one model of the others."""
    asked = (f"record={FILE}", "event=31")
    first = [] if settings[0].startswith("player=") else ["player=bmcts"]
    given = [*first, *settings, "player.budget.simulations=20"]
    out = command(*asked, *given)[1]
    assert [line for line in out.splitlines() if line.startswith(begins)]
    out = command(*asked, "player=bmcts", "player.budget.simulations=20")[1]
    assert "its belief" not in out and "takes seat" not in out


@pytest.mark.parametrize("event", [BEGINS, SUGGESTS, ENDS], ids=["begins", "suggests", "ends"])
def test_a_decision_is_explained(ask, event):
    said = ask(event, "tree.nodes=20")
    out, table, result, decision = said.out, said.rows, said.player.result, said.decision
    posterior = ExactPosterior(said.evidence)
    envelope, bits = posterior.envelope_table().ravel(), entropy(posterior.envelope_table().ravel())
    best = action_to_string(result.best)
    assert re.search(r"bmcts: (.*\S)", out)[1] == best == table[0][0]
    assert sorted(row[0] for row in table) == sorted(map(action_to_string, result.actions.tolist()))
    assert sum(int(row[1]) for row in table) == result.simulations == 60
    for words, _, _, value, _, right in table:
        if words.startswith("accuse"):
            # In the tree an accusation pays what it is likely to be right.
            assert float(value.split(" ")[0]) == float(right) > 0
            assert right in [f"{chance:.3f}" for chance in envelope]
        else:
            assert right == ""
    assert f"line {event}, rules classic, turn {decision.view[0].turn}" in out
    assert f"in the record: {action_to_string(decision.action)}" in out
    assert f"60 simulations in {result.seconds:.2f} s, {result.nodes} nodes" in out
    assert re.search(r"time: selection \d+%, belief \d+%, roll-out \d+%", out)
    assert re.search(r"\d+% of the simulations decided in the tree in the second own turn", out)
    (first,) = re.findall(r"^  1\. (.*) \((\d+) visits", out, re.MULTILINE)
    assert first == (table[0][0], table[0][1])
    assert (said.folder / "config.yaml").read_text().count(str(FILE)) == 1
    assert f"entropy of the envelope: {bits:.2f} bits" in out
    check_expectation(said, bits, best)
    if event != ENDS:
        check_bits(said, posterior.marginals)


def check_expectation(said, before, best):
    """Raise AssertionError unless what is shown of a suggestion is of the one meant."""
    found = re.search(r"bits, ([\d.]+) expected after suggesting (.*)", said.out)
    if best == "pass":
        assert found is None
        return
    names = found[2].split(", ")
    left = before - expected_reduction(said.evidence, *map(CARDS.index, names))
    assert left < before
    assert float(found[1]) == pytest.approx(left, abs=0.006)
    assert all(name in best for name in (names[2:] if "walk" in best else names[:2]))


def check_bits(said, marginals):
    """Raise AssertionError unless bits rank the actions as the domain lists them."""
    decision = said.decision
    bits = recorded.prior(decision, marginals)
    listed = [bits[action] for action in said.player.result.actions.tolist() if action in bits]
    assert listed == sorted(listed, reverse=True)
    assert len(listed) == 6 and listed[0] == max(bits.values())
    assert {f"{each:.3f}" for each in listed} == {row[4] for row in said.rows} - {""}
    for action, each in bits.items():
        if ASK <= action < ACCUSE:
            suspect, weapon = divmod(action - ASK, 6)
            cards = suspect, FIRST_WEAPON + weapon, FIRST_ROOM + decision.room
            assert each == closed_form(marginals, decision.seat, *cards)


def test_the_tree_is_kept(ask):
    said = ask(BEGINS, "tree.nodes=15", "tree.picture=tree.png", "tree.simulations=5")
    folder, result = said.folder, said.player.result
    assert f"tree in {folder}: tree.graphml, tree.json, tree.png, simulations.html" in said.out
    assert (folder / "tree.png").read_bytes().startswith(b"\x89PNG")
    graph = nx.node_link_graph(json.loads((folder / "tree.json").read_text()), edges="edges")
    same = nx.read_graphml(folder / "tree.graphml", node_type=int)
    beliefs = {node: seen.pop("envelope", {}) for node, seen in graph.nodes(data=True)}
    assert dict(graph.nodes(data=True)) == dict(same.nodes(data=True))
    assert len(graph) == 15
    root = graph.graph["root"]
    inside = ExactPosterior(said.evidence).marginals[:, 0]
    assert beliefs[root] == {CARDS[card]: inside[card] for card in inside.nonzero()[0]}
    assert graph.nodes[root]["visits"] == 60
    drawn = {data["words"]: data["visits"] for *_, data in graph.out_edges(root, data=True)}
    visited = dict(zip(map(action_to_string, result.actions), result.visits, strict=True))
    assert drawn and drawn.items() <= visited.items()


@pytest.mark.nightly
def test_a_link_of_the_pictures_name_is_not_written_through(ask, tmp_path):
    folder, away = tmp_path / "run0", tmp_path / "away"
    folder.mkdir()
    away.mkdir()
    for name in ("tree.png", "tree.json", "tree.graphml", "config.yaml"):
        (folder / name).symlink_to(away / name)
    assert ask(BEGINS, "tree.nodes=5", "tree.picture=tree.png").folder == folder
    assert not list(away.iterdir())
    assert (folder / "tree.png").read_bytes().startswith(b"\x89PNG")


PLANNERS = {
    "pimc": "player=pimc player.trees=3",
    "particles": "player=pomcp player.belief=particles",
}


@pytest.mark.parametrize("planner", PLANNERS)
def test_any_planner_is_explained(ask, planner):
    said = ask(BEGINS, *PLANNERS[planner].split(), "player.budget.simulations=60")
    assert sum(int(row[1]) for row in said.rows) == said.player.result.visits.sum() == 60
    assert ("in one tree of 20 simulations" in said.out) == (planner == "pimc")
    assert "  1. " in said.out
