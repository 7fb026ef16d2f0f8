"""The network of the room problem: its output, and invalid files."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from sim.board import N_ROOMS
from sim.qlearning import network, rooms
from sim.qlearning.network import Network


def _make(hidden=4, activation="logistic", noise=0):
    draw = np.random.default_rng(noise).normal
    return Network(
        hidden_weights=draw(size=(18, hidden)),
        hidden_bias=draw(size=hidden),
        output_weights=draw(size=hidden),
        output_bias=np.array(draw()),
        activation=activation,
        settings={"seed": noise},
    )


@pytest.mark.parametrize("activation", network.ACTIVATIONS)
def test_q_is_the_sum_over_hidden_nodes(activation):
    made, state = _make(activation=activation), np.linspace(0, 0.2, N_ROOMS)
    found = made(rooms.pairs(state))
    for room in range(N_ROOMS):
        total = float(made.output_bias)
        for node in range(4):
            sums = made.hidden_bias[node] + made.hidden_weights[N_ROOMS + room, node]
            sums += sum(state[i] * made.hidden_weights[i, node] for i in range(N_ROOMS))
            value = 1 / (1 + np.exp(-sums)) if activation == "logistic" else max(sums, 0)
            total += made.output_weights[node] * value
        assert found[room] == pytest.approx(total)


def test_a_file_holds_the_network(tmp_path):
    made = _make()
    path = tmp_path / "network.json"
    path.write_text(made.dumps())
    found = network.load(str(path))
    inputs = rooms.pairs(np.full(N_ROOMS, 1 / N_ROOMS))
    assert np.array_equal(found(inputs), made(inputs))
    assert found.settings == made.settings and found.size == 4 * 20 + 1


def _spoilt(change):
    data = json.loads(_make().dumps())
    change(data)
    return json.dumps(data)


def _renew(change):
    """Spoil the numbers and their digest alike."""

    def spoil(data):
        change(data)
        numbers = {name: data[name] for name in network.NUMBERS}
        data["numbers_digest"] = network.digest(numbers)

    return _spoilt(spoil)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "it is not a mapping of"),
        (_spoilt(lambda data: data.update(activation="tanh")), "its activation is none of"),
        (_spoilt(lambda data: data.update(output_bias=9.0)), "its numbers are not those"),
        (_renew(lambda data: data.update(output_bias="x")), "its weights are not numbers"),
        (_renew(lambda data: data["hidden_bias"].pop()), "its weights are not those of 18"),
        (_renew(lambda data: data.update(output_bias=float("inf"))), "not all finite"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, text, reason):
    path = tmp_path / "network.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=reason) as refused:
        network.load(str(path))
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_no_file_of_ours_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"No such file.*makes one"):
        network.load(str(tmp_path / "nowhere.json"))
    (tmp_path / "picture.json").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match="it is not text"):
        network.load(str(tmp_path / "picture.json"))
    os.mkfifo(tmp_path / "pipe.json")
    for place in (tmp_path / "pipe.json", tmp_path, "/dev/zero"):
        with pytest.raises(ValueError, match="it is a folder, a pipe or a device"):
            network.load(str(place))
    (tmp_path / "long.json").write_text(_make().dumps())
    monkeypatch.setattr(network, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="it is too long"):
        network.load(str(tmp_path / "long.json"))


def test_the_network_that_comes_with_the_project_fits_states_that_it_never_saw():
    shipped = network.load()
    assert shipped.size == 2001 and shipped.settings["seed"] == 0

    def explain(problem):
        exact = rooms.solve(problem)[0]
        targets = exact / exact.max()
        return 1 - np.mean((shipped(rooms.pairs(problem.states)) - targets) ** 2) / np.var(targets)

    fresh = rooms.Sampled(states=400, seed=4243)
    assert explain(fresh.problem()) >= 0.85
    # The control: a problem that it was not fitted to.
    assert explain(rooms.Sampled(states=400, seed=4243, discount=0.2).problem()) < 0.5
