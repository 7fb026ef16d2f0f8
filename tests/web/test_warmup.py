"""Code that a table needs is compiled before it is made, once for each player."""

import numba
from table_setup import COMPUTER, person

from experiments.web.server import warmup as module
from experiments.web.settings import Search
from experiments.web.tables.requests import compose_player
from experiments.web.tables.setup import Setup

RULES = {"name": "speed", "players": 3}


def setup(*seats):
    return Setup(RULES, seats, pace=0.0)


def test_each_player_decides_once_and_with_little(monkeypatch):
    played = []
    monkeypatch.setattr(module, "_warm", set())
    monkeypatch.setattr(module, "_play", played.append)
    searching = [
        compose_player("bmcts", [f"budget.simulations={n}"], Search(1000, 1.0)) for n in (50, 900)
    ]
    module.warm_up(setup(person("Ann"), searching[0], COMPUTER))
    module.warm_up(setup(person("Bob"), searching[1], COMPUTER))
    assert len(played) == 1, "names and budgets need no other code"
    assert played[0].seats[1]["budget"]["simulations"] == module.SIMULATIONS
    module.warm_up(setup(person("Ann"), {**COMPUTER, "name": "hide"}, COMPUTER))
    assert len(played) == 2, "the control: another player"


def test_all_seats_decide_and_a_notebook_is_read(monkeypatch):
    read, decided = [], []
    monkeypatch.setattr(module, "_warm", set())
    monkeypatch.setattr(module, "notebook", lambda known, chance: read.append(known))
    act = module.SteppedGame.act

    def act_and_note(game, action):
        decided.append(game.decider)
        return act(game, action)

    monkeypatch.setattr(module.SteppedGame, "act", act_and_note)
    module.warm_up(setup(person("Ann"), COMPUTER, COMPUTER))
    assert set(decided) == {0, 1, 2} and len(read) == 1


def test_the_lobby_counts_what_is_compiled(server):
    """The control: one more function."""
    before = server.ask("GET", "/api/compiled")[1]["functions"]
    numba.njit(lambda number: number + 1)(1)
    assert server.ask("GET", "/api/compiled")[1]["functions"] > before
