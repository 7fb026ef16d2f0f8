"""Files of problems: all of both formats, faults with line and column, and writing."""

import subprocess
import sys

import numpy as np
import pytest

from mcts.plain.problem import Problem
from mcts.tabular.exact import exact_value
from mcts.tabular.files import read_pomdp, write_pomdp
from mcts.tabular.tables import TablesFault

BUS = """# a bus is early or late; asking costs, running to the wrong stop costs more
values: reward
actions: ask north south
discount : .9
observations: yes no
states: early late
start: 0.5 0.5
T: ask
identity
T: north : * : early 0.5
T: north : * : late 5e-1
T: south uniform
O: ask
  0.8
  0.2 0.2 0.8
O: north uniform
O : south: *
uniform
R: * : * : * : * -1
R: north : early : * : * 4
R: south : late : * : * +4.
R: north : late : * : * -8
R: 2 : 0 : * : * -8
"""


@pytest.fixture
def read(tmp_path):
    def read(text, name="bus.POMDP", **more):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return read_pomdp(tmp_path / name, **more)

    return read


def tables(problem):
    return [problem.matrices(action) for action in range(problem.tables.actions)]


def same(one, other):
    pairs = zip(tables(one), tables(other), strict=True)
    return all(np.allclose(a, b, atol=1e-15) for x, y in pairs for a, b in zip(x, y, strict=True))


def test_a_whole_file(read):
    bus = read(BUS)
    assert (bus.discount, bus.horizon) == (0.9, 44)
    assert (bus.states, bus.actions, bus.seen) == (
        ["early", "late"],
        ["ask", "north", "south"],
        ["yes", "no"],
    )
    for (transition, emission, reward), wanted in zip(
        tables(bus), [[-1, -1], [4, -8], [-8, 4]], strict=True
    ):
        assert reward.tolist() == wanted
        assert np.allclose(transition.sum(axis=1), 1) and np.allclose(emission.sum(axis=1), 1)
    assert tables(bus)[0][1].tolist() == [[0.8, 0.2], [0.2, 0.8]]
    # ask, then leave by what was heard: -1 + 0.9 * (0.8 * 4 - 0.2 * 8)
    assert exact_value(bus, 1) == pytest.approx(-1)
    assert exact_value(bus, 2) == pytest.approx(-1 + 0.9 * 1.6)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_any_line_ends(read, ends):
    assert same(read(BUS.replace("\n", ends).encode()), read(BUS))


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("start: uniform", [0.5, 0.5]),
        ("start: late", [0, 1]),
        ("start: 1", [0, 1]),
        ("start include: early late", [0.5, 0.5]),
        ("start exclude: early", [0, 1]),
        ("", [0.5, 0.5]),
    ],
)
def test_starts(read, start, wanted):
    assert read(BUS.replace("start: 0.5 0.5", start)).start.tolist() == wanted


def test_reset_goes_to_the_start(read):
    text = BUS.replace("start: 0.5 0.5", "start: 0.3 0.7").replace(
        "T: south uniform", "T: south : * reset"
    )
    assert tables(read(text))[2][0].tolist() == [[0.3, 0.7]] * 2


def test_costs_are_negative_rewards(read):
    costs = read(BUS.replace("values: reward", "values: cost"))
    assert [reward.tolist() for *_, reward in tables(costs)] == [[1, 1], [-4, 8], [8, -4]]


def test_rewards_of_next_state_and_observation_are_expected(read):
    text = (
        BUS
        + "R: ask : early : early : yes 10\nR: ask : late\n1 2 3 4\nR: north : early : late\n6 8\n"
    )
    rewards = [reward for *_, reward in tables(read(text))]
    assert rewards[0] == pytest.approx([0.8 * 10 - 0.2, 0.2 * 3 + 0.8 * 4])
    assert rewards[1][0] == pytest.approx(0.5 * 4 + 0.5 * 7)


def test_numbers_in_place_of_names(read):
    text = BUS.replace("states: early late", "states: 2").replace("early", "0").replace("late", "1")
    assert same(read(text), read(BUS))


FAULTS = [
    ("discount : .9\n", "", "bus.POMDP: discount is missing"),
    ("states: early late\n", "", "bus.POMDP: states is missing"),
    ("discount : .9", "discount: 1.9", "bus.POMDP:4:1: discount is 1.9"),
    ("values: reward", "values: rewards", "bus.POMDP:2:9: values: rewards: choose reward or cost"),
    ("start: 0.5 0.5", "start: 0.5 0.4", "bus.POMDP:7:1: start sums to 0.9"),
    ("start: 0.5 0.5", "start: 0.5 0.4 0.1", "bus.POMDP:7:1: start: 3 numbers in place of 2"),
    ("start: 0.5 0.5", "start: noon", "bus.POMDP:7:8: states has no noon"),
    ("start: 0.5 0.5", "start: early late", "bus.POMDP:7:14: several states begin: write start in"),
    ("late 5e-1", "late 0.6", "bus.POMDP:11:1: T: north : early sums to 1.1"),
    ("late 5e-1", "late -0.5", "bus.POMDP:11:1: T: a probability is negative"),
    (
        "T: north : * : late 5e-1\n",
        "T: west : * : late 0.5\n",
        ":11:4: actions has no west",
    ),
    ("  0.2 0.2 0.8", "  0.2 0.2", "bus.POMDP:13:1: O: ask: 3 numbers in place of 4"),
    ("  0.2 0.2 0.8", "  0.2 0.2 0.9", "bus.POMDP:15:7: O: ask : late sums to 1.1"),
    ("T: ask\nidentity\n", "", "bus.POMDP: T: ask : early has no probabilities"),
    ("O: north uniform\n", "", "bus.POMDP: O: north : early has no probabilities"),
    ("O: north uniform", "O: north identity", "bus.POMDP:16:10: identity does not fit here"),
    ("R: 2 : 0", "R: 3 : 0", "bus.POMDP:23:4: actions has no 3"),
    ("R: 2 : 0", "R: north : early", "bus.POMDP:23:1: this was given before with other numbers"),
    ("R: * : * : * : * -1", "R: * : * : * : * one", "bus.POMDP:19:18: one is no number"),
    ("states: early late", "states: early early", "bus.POMDP:6:1: states: early is named twice"),
    ("states: early late", "states: 200000000", "bus.POMDP:6:1: states: 200000000 are too many"),
    ("states: early late", "states: 0", "bus.POMDP:6:1: states: 0 is no number of them"),
    ("values: reward", "values reward", "bus.POMDP:2:8: reward does not fit here"),
    ("O : south: *\nuniform", "O : south:", "bus.POMDP:"),
    ("discount : .9", "discount: 1", "bus.POMDP: a discount of 1 needs steps"),
    ("discount : .9", "discount: .9 discount: .8", "bus.POMDP:4:14: discount is given twice"),
]


@pytest.mark.parametrize(("old", "new", "said"), FAULTS, ids=lambda text: text[:24])
def test_a_fault_is_one_line_with_its_place(read, old, new, said):
    assert old in BUS
    with pytest.raises(TablesFault) as fault:
        read(BUS.replace(old, new, 1))
    assert said in str(fault.value) and "\n" not in str(fault.value)


def test_without_strictness_rows_are_normalised_and_a_warning_says_so(read):
    text = BUS.replace("late 5e-1", "late 0.6").replace("R: 2 : 0", "R: north : early")
    with pytest.warns(UserWarning) as said:
        problem = read(text, strict=False)
    assert tables(problem)[1][0][0] == pytest.approx([0.5 / 1.1, 0.6 / 1.1])
    assert tables(problem)[1][2][0] == -8
    messages = [str(warning.message) for warning in said]
    assert len(messages) == 3 and all(message.startswith("bus.POMDP:") for message in messages)


def test_a_discount_can_be_given(read):
    assert read(BUS.replace("discount : .9\n", ""), discount=0.8).discount == 0.8


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(TablesFault, match=r"no.POMDP cannot be read: No such file"):
        read_pomdp(tmp_path / "no.POMDP")


def test_the_import_of_a_reader_waits_for_a_file():
    code = "import sys, mcts; mcts.Tabular; print('lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# writing


def test_what_is_written_is_read_back(read, tmp_path):
    bus = read(
        BUS.replace(
            "T: south uniform",
            "T: south\n0.3333333333333333 0.6666666666666667\n1e-12 0.999999999999",
        )
    )
    write_pomdp(bus, tmp_path / "again.POMDP")
    again = read_pomdp(tmp_path / "again.POMDP")
    assert same(bus, again) and (again.states, again.seen) == (bus.states, bus.seen)
    assert again.start.tolist() == bus.start.tolist()
    text = (tmp_path / "again.POMDP").read_text()
    assert "e-" not in text and " ." not in text


def corridor(observation):
    return Problem(
        start=[0],
        actions=lambda at: [] if at == 3 else ["go"] if at == 1 else ["stay", "go"],
        step=lambda at, action, chance: (at + (action == "go" and chance.random() < 0.7), -1.0),
        observation=observation,
        low=-20,
        high=0,
        steps=20,
        discount=0.9,
    ).tabulate()


def test_ends_and_illegal_actions_keep_the_value(tmp_path):
    problem = corridor(lambda at: at)
    write_pomdp(problem, tmp_path / "corridor.POMDP")
    again = read_pomdp(tmp_path / "corridor.POMDP", steps=20)
    for steps in (1, 3, 5):
        assert exact_value(again, steps) == pytest.approx(exact_value(problem, steps))


# POMDPX

LAMP = """<?xml version="1.0"?>
<pomdpx version="1.0" id="lamp">
<Discount>0.9</Discount>
<Variable>
 <StateVar vnamePrev="place_0" vnameCurr="place_1" fullyObs="true">
  <NumValues>2</NumValues></StateVar>
 <StateVar vnamePrev="lamp_0" vnameCurr="lamp_1"><ValueEnum>off on</ValueEnum></StateVar>
 <ObsVar vname="light"><ValueEnum>dark bright</ValueEnum></ObsVar>
 <ActionVar vname="act"><ValueEnum>wait move</ValueEnum></ActionVar>
 <RewardVar vname="reward"/>
</Variable>
<InitialStateBelief>
 <CondProb><Var>place_0</Var><Parent>null</Parent><Parameter type="TBL">
  <Entry><Instance>-</Instance><ProbTable>1 0</ProbTable></Entry></Parameter></CondProb>
 <CondProb><Var>lamp_0</Var><Parent>place_0</Parent><Parameter type="TBL">
  <Entry><Instance>* -</Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>
</InitialStateBelief>
<StateTransitionFunction>
 <CondProb><Var>place_1</Var><Parent>act place_0</Parent><Parameter type="TBL">
  <Entry><Instance>wait - -</Instance><ProbTable>identity</ProbTable></Entry>
  <Entry><Instance>move - -</Instance><ProbTable>0 1 1 0</ProbTable></Entry></Parameter></CondProb>
 <CondProb><Var>lamp_1</Var><Parent>place_1 lamp_0</Parent>LAMP</CondProb>
</StateTransitionFunction>
<ObsFunction>
 <CondProb><Var>light</Var><Parent>lamp_1</Parent><Parameter type="TBL">
  <Entry><Instance>off *</Instance><ProbTable>0.5</ProbTable></Entry>
  <Entry><Instance>on -</Instance><ProbTable>0.1 0.9</ProbTable></Entry></Parameter></CondProb>
</ObsFunction>
<RewardFunction>
 <Func><Var>reward</Var><Parent>act lamp_0</Parent><Parameter type="TBL">
  <Entry><Instance>wait on</Instance><ValueTable>5</ValueTable></Entry>
  <Entry><Instance>move *</Instance><ValueTable>-1</ValueTable></Entry></Parameter></Func>
 <Func><Var>reward</Var><Parent>light</Parent><Parameter type="TBL">
  <Entry><Instance>-</Instance><ValueTable>0 2</ValueTable></Entry></Parameter></Func>
</RewardFunction>
</pomdpx>"""

TABLE = """<Parameter type="TBL">
 <Entry><Instance>s0 - -</Instance><ProbTable>identity</ProbTable></Entry>
 <Entry><Instance>s1 off -</Instance><ProbTable>0.3 0.7</ProbTable></Entry>
 <Entry><Instance>s1 on on</Instance><ProbTable>1.0</ProbTable></Entry></Parameter>"""

DIAGRAM = """<Parameter type="DD"><DAG><Node var="place_1">
 <Edge val="s0"><SubDAG type="persistent" var="lamp_1"/></Edge>
 <Edge val="s1"><Node var="lamp_0">
  <Edge val="off"><SubDAG type="template" idref="lit"/></Edge>
  <Edge val="on"><SubDAG type="deterministic" var="lamp_1" val="on"/></Edge></Node></Edge>
</Node></DAG>
<SubDAGTemplate id="lit"><Node var="lamp_1"><Edge val="off"><Terminal>0.3</Terminal></Edge>
 <Edge val="on"><Terminal>0.7</Terminal></Edge></Node></SubDAGTemplate></Parameter>"""


@pytest.mark.parametrize("lamp", [TABLE, DIAGRAM], ids=["table", "diagram"])
def test_a_factored_problem(read, lamp):
    found = read(LAMP.replace("LAMP", lamp), "lamp.pomdpx")
    assert found.states == ["s0_off", "s0_on", "s1_off", "s1_on"]
    assert found.seen == ["s0_dark", "s0_bright", "s1_dark", "s1_bright"]
    assert found.start.tolist() == [0.5, 0.5, 0, 0]
    wait, move = tables(found)
    assert wait[0].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.3, 0.7], [0, 0, 0, 1]]
    assert move[0].tolist() == [[0, 0, 0.3, 0.7], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert wait[1] == pytest.approx(
        np.array([[0.5, 0.5, 0, 0], [0.1, 0.9, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.1, 0.9]])
    )
    assert wait[2] == pytest.approx([1, 6.8, 0.3 * 1 + 0.7 * 1.8, 6.8])
    assert move[2] == pytest.approx([-1 + 0.3 * 1 + 0.7 * 1.8, 0.8, 0, 0.8])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<Discount>0.9</Discount>", "", r"^lamp.pomdpx:2:1: pomdpx has no Discount"),
        ("0 1 1 0", "0 1 1", r"^lamp.pomdpx:21:\d+: 3 numbers in place of 4"),
        ("0 1 1 0", "0 1 1 1", r"^lamp.pomdpx:\d+:\d+: place_1 given move s1 sums to 2"),
        (
            "<Var>light</Var>",
            "<Var>sound</Var>",
            "no variable is named sound",
        ),
        ("<Instance>wait on</Instance>", "<Instance>wait up</Instance>", "lamp_0 has no value up"),
        ("</pomdpx>", "", r"^lamp.pomdpx:\d+:\d+: no element found"),
        (
            "<pomdpx version",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><pomdpx version",
            "a document type is not read",
        ),
        ('type="persistent"', 'type="none"', "type none of a SubDAG is unknown"),
    ],
)
def test_faults_of_xml(read, old, new, said):
    text = LAMP.replace("LAMP", DIAGRAM)
    assert old in text
    with pytest.raises(TablesFault, match=said) as fault:
        read(text.replace(old, new, 1), "lamp.pomdpx")
    assert "\n" not in str(fault.value)
