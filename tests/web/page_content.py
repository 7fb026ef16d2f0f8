"""Content of pages in tests: a lobby, a watched table, a record."""

from __future__ import annotations

from types import SimpleNamespace

from page_server import Canned
from table_setup import COMPUTER, play_to_prompt, setup

from experiments.web.analysis.notebook import Entropies, Knowledge, notebook
from experiments.web.server import messages, records
from experiments.web.server.viewers import describe
from experiments.web.tables.search_view import SearchSamples
from experiments.web.tables.table import Table, sees

LOBBY = {
    "rules": [
        {"name": "ledford", "players": 4, "about": "The rules of the thesis."},
        {"name": "cai2006", "players": 3, "about": "Three players, hands dealt by category."},
    ],
    "players": [
        {"name": "best", "about": "The strongest preset.", "searches": True},
        {"name": "best_tree", "about": "The same with a tree.", "searches": True},
        {"name": "bmcts", "about": "Belief search.", "searches": True},
        {"name": "swift", "about": "Most information per expected turn.", "searches": False},
    ],
    "tables": [
        {"id": "t", "rules": "ledford", "seats": ["swift"] * 4, "over": False, "open": True},
        {"id": "u", "rules": "speed", "seats": ["Ann", "best", "best"], "over": True, "open": True},
        {"id": "v", "rules": "speed", "seats": ["Ann"], "over": False, "open": False}
        | {"aside": True},
    ],
    "records": [
        {"id": name, "name": f"main/records/game-000{game}.jsonl", "rules": "ledford"}
        | {"game": game, "seats": ["swift", "best"], **end}
        for name, game, end in (
            ("r", 1, {"winner": "best", "turns": 43, "seconds": 754.2}),
            ("s", 0, {"winner": None, "turns": 12, "seconds": None}),
        )
    ],
    "reach": "Only this machine can reach this page.",
}

ROOT = [
    {"action": "walk to the Hall", "visits": 412, "value": 0.512, "error": 0.021},
    {"action": "walk to the Library", "visits": 301, "value": 0.478, "error": 0.03},
    {"action": "walk to the Kitchen", "visits": 41, "value": 0.31, "error": 0.072},
    {"action": "walk to the Study", "visits": 0, "value": None, "error": None},
]

ASSUMES = {
    "belief": {
        "name": "factored",
        "reads": True,
        "differing": 44,
        "rows": [
            {"card": "Study", "holder": 0, "own": 0.25, "exact": 0.125},
            {"card": "Plum", "holder": 2, "own": 0.001, "exact": 0.0},
        ],
    },
    "opponents": [
        {"seat": seat, "types": [("swift50", 0.41), ("swift35", 0.33), ("random", 0.001)]}
        for seat in (1, 2, 3)
    ],
}

SEARCH = {
    "kind": "search", "seat": 0, "player": "best", "simulations": 754, "per_second": 3200,
    "nodes": 700, "root": ROOT, "over": False, **ASSUMES,
    "line": [{"action": "walk to the Hall", "visits": 412, "value": 0.512}],
    "tree": [
        {"above": None, "visits": 754},
        *(
            {"above": 0, "visits": row["visits"] // 3, "action": row["action"],
             "played": row["visits"], "value": row["value"], "outcomes": 9,
             "seen": "Peacock shows the rope", "end": False}
            for row in (ROOT[0], ROOT[0], *ROOT[1:3])
        ),
        {"above": 1, "visits": 40, "action": "accuse Plum with the rope in the Hall",
         "played": 40, "value": 0.02, "outcomes": 1, "seen": "", "end": True},
    ],
}  # fmt: skip

BELIEF = [
    ("suspect", [("Green", 0.75), ("Plum", 0.25)]),
    ("weapon", [("rope", 0.4), ("knife", 0.3), ("wrench", 0.2), ("revolver", 0.1)]),
    ("room", [("Hall", 1.0)]),
]

ADVICE = {
    "player": "best",
    "action": 0,
    "words": "walk to the Hall",
    "simulations": 754,
    "table": [
        {**row, "action": place, "words": row["action"], "bits": 0.25, "right": None}
        for place, row in enumerate(ROOT)
    ],
    "tree": [{**node, "bits": 3.2, "envelope": BELIEF} for node in SEARCH["tree"]],
    "line": [{"words": "walk to the Hall", "visits": 412, "value": 0.512}],
    **ASSUMES,
}


def make_answers(table, folder, shown=None):
    """Return the fixed answers of a `page_server.Canned` by path, of a ``table`` of computers whose
    game is over; its watchers have seen ``shown`` events, or all."""
    rules, events = table.game.rules, table.game.events[:shown]
    seats = [notebook(Knowledge.of(rules, seat, events), True) for seat in range(rules.players)]
    turns = [{"turn": turn, "bits": bits} for turn, bits in Entropies(rules).turns(events)]
    path = folder / "game.jsonl"
    path.write_text(table.game.record())
    entry = SimpleNamespace(id="t", setup=table.setup)
    control = {"open": True, "control": True, "paused": False, "pace": 1.0}
    return {
        "/api/lobby": LOBBY,
        "/api/watch/t": {**describe(entry), **control},
        "/api/watch/t/beliefs": {"seats": seats, "turns": turns},
        "/api/watch/t/control": {"paused": True, "pace": 1.0},
        "/api/records/r": records._contents(path, True),
        "/api/records/r/beliefs": {"turns": records._turns(path)},
        "/api/records/r/explain": ADVICE,
    }


def make_stream(table, search, shown):
    """Return the messages of a watched table that has shown so many events, in a ``search``."""
    known = [event for event in table.game.events[:shown] if sees(event, None)]
    waiting = messages.waiting(search["seat"])
    return {"/api/watch/t/stream": [*map(messages.event, known), waiting, search]}


def serve_watched(folder):
    """Return a server of all pages but a seat's, and the table that is watched: it is over, and its
    watchers see a search in the middle."""
    table = Table(setup(*(COMPUTER,) * 4, turn_cap=400), folder)
    play_to_prompt(table)
    events = table.game.events
    rolls = [at for at, event in enumerate(events) if event["event"] == "roll"]
    at = rolls[len(rolls) // 2]
    stream = make_stream(table, {**SEARCH, "seat": events[at]["seat"]}, at + 1)
    return Canned(make_answers(table, folder), stream), table


def play_and_sample(folder, player, turn):
    """Return a table, a sample of the search of ``player`` in its first seat from ``turn`` on,
    and how many events were shown before; its game is over."""
    table = Table(setup(player, *(COMPUTER,) * 3), folder)
    game, look, events = table.game, None, 0
    while not game.over:
        progress = SearchSamples(0, game.seats[0], game.rules.suspects)
        action = game.decide()
        if look is None and game.decider == 0 and game.events[-1]["turn"] >= turn:
            look, events = progress.sample(over=True), len(game.events)
        table.act(action)
    play_to_prompt(table)
    return table, {**look, "over": False}, events
