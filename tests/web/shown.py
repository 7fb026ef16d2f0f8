"""What the pages other than a seat's are shown in tests: a lobby, a watched table, a record."""

from __future__ import annotations

from dataclasses import asdict

from at_table import COMPUTER, settled, setup

from experiments.web.seen.notebook import Knowledge, notebook
from experiments.web.tables.table import Table

LOBBY = {
    "rules": [
        {"name": "ledford", "players": 4, "about": "The rules of the thesis."},
        {"name": "cai2006", "players": 3, "about": "Three players, hands dealt by category."},
    ],
    "players": [
        {"name": "best", "about": "The strongest preset.", "searches": True},
        {"name": "bmcts", "about": "Belief search.", "searches": True},
        {"name": "swift", "about": "Most information per expected turn.", "searches": False},
    ],
    "tables": [
        {"id": "t", "rules": "ledford", "seats": ["swift"] * 4, "over": False, "open": True},
        {"id": "u", "rules": "speed", "seats": ["Ann", "best", "best"], "over": True, "open": True},
    ],
    "records": [
        {
            "id": "r",
            "name": "main/records/game-0001.jsonl",
            "rules": "ledford",
            "game": 1,
            "seats": ["swift", "best"],
        }
    ],
    "runs": [
        {
            "name": "main",
            "rates": [
                {
                    "match": "best against swift",
                    "player": "best",
                    "games": 200,
                    "wins": 120,
                    "rate": 0.6,
                    "interval": [0.531, 0.665],
                }
            ],
        }
    ],
    "reach": "Only this machine can reach this page.",
}

ROOT = [
    {"action": "walk to the Hall", "visits": 412, "value": 0.512, "error": 0.021},
    {"action": "walk to the Library", "visits": 301, "value": 0.478, "error": 0.03},
    {"action": "walk to the Kitchen", "visits": 41, "value": 0.31, "error": 0.072},
    {"action": "walk to the Study", "visits": 0, "value": None, "error": None},
]

SEARCH = {
    "kind": "search",
    "seat": 0,
    "player": "best",
    "simulations": 754,
    "per_second": 3200,
    "nodes": 700,
    "root": ROOT,
    "line": [{"action": "walk to the Hall", "visits": 412, "value": 0.512}],
}

ADVICE = {
    "player": "best",
    "action": 0,
    "words": "walk to the Hall",
    "simulations": 754,
    "table": [{**row, "action": place, "words": row["action"]} for place, row in enumerate(ROOT)],
    "line": [{"words": "walk to the Hall", "visits": 412, "value": 0.512}],
}


def computers(folder):
    """Return a table at which nobody sits, its game over."""
    table = Table(setup(*(COMPUTER,) * 4, turn_cap=400), folder)
    settled(table)
    return table


def beliefs(table):
    """Return what each seat believes now, and bits by turn, a few of them made up."""
    seats = [
        notebook(Knowledge.of(table.game.rules, seat, table.game.events), True)
        for seat in range(table.game.rules.players)
    ]
    last = table.game.events[-1]["turn"]
    turns = [
        {"turn": turn, "bits": [8.0 * (1 - turn / (last + 3 * seat)) for seat in range(4)]}
        for turn in range(last + 1)
    ]
    return {"seats": seats, "turns": turns}


def record(table):
    """Return the record of a table as the page is sent it."""
    game = table.game
    seats = [
        {"label": player.name, "suspect": suspect, "outside": False}
        for player, suspect in zip(game.seats, game.rules.suspects, strict=True)
    ]
    header = {"rules": asdict(game.rules), "game": game.game, "seed": game.seed, "seats": seats}
    acts = [
        line
        for line, event in enumerate(game.events, 2)
        if "action" in event and event["event"] != "show"
    ]
    return {"header": header, "events": game.events, "decisions": acts}


def course(table):
    """Return bits and chances by turn, made up."""
    turns = beliefs(table)["turns"]
    for turn in turns:
        turn["chance"] = [0.25, 0.25 + turn["turn"] / 400, 0.2, 0.1]
    return {"turns": turns}


def answers(table):
    """Return the fixed answers of a `canned.Canned` by path."""
    return {
        "/api/lobby": LOBBY,
        "/api/watch/t/beliefs": beliefs(table),
        "/api/watch/t/control": {"paused": True, "pace": 1.0},
        "/api/records/r": record(table),
        "/api/records/r/beliefs": course(table),
        "/api/records/r/explain": ADVICE,
    }
