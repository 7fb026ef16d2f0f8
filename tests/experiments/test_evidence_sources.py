"""Digests of sources follow what the played modules define, and nothing else."""

from __future__ import annotations

import pytest

from benchmarks.evidence import listing, sources
from benchmarks.evidence.listing import ROOT
from experiments.settings.commandline import Refusal

TABLE = "from sim.deck import deal\n\nSEATS = 3\n\ndef play():\n    return deal(SEATS)\n"
DECK = "def deal(n):\n    from belief.odds import WEIGHT\n\n    return n * WEIGHT\n"
MODULES = {
    "sim/table.py": TABLE,
    "sim/deck.py": DECK,
    "belief/odds.py": "WEIGHT = 2\n",
    "belief/other.py": "WEIGHT = 7\n",
}
"""A small checkout: the table imports the deck; this one, inside a function, the odds."""

RENAMED = {
    "sim/deck.py": DECK.replace("odds", "chances"),
    "belief/odds.py": "",
    "belief/chances.py": "WEIGHT = 2\n",
}
MERGED = {"sim/table.py": TABLE.partition("\n\n")[2] + DECK, "sim/deck.py": ""}
FOR_TYPES = "if TYPE_CHECKING:\n    import belief.other\n"


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"sim/deck.py": '"""Cards."""\n# note\n' + DECK}, True),
        ({"belief/other.py": "WEIGHT = 8\n"}, True),  # which nothing imports
        ({"belief/odds.py": "WEIGHT = 3\n"}, False),
        ({"sim/deck.py": DECK.replace("odds", "other")}, False),
        (RENAMED, True),
        (MERGED, True),
        ({"sim/table.py": TABLE.replace("deal(SEATS)", "deal(4)")}, False),
        ({"sim/table.py": FOR_TYPES + TABLE}, True),
        ({"sim/table.py": "import belief.other\n" + TABLE}, False),
    ],
)
def test_a_digest_follows_what_imported_modules_define(tmp_path, changes, same):
    write(tmp_path, MODULES)
    before = sources.digest(tmp_path, ["sim.table"])
    write(tmp_path, changes)
    assert (sources.digest(tmp_path, ["sim.table"]) == before) == same


def write(root, modules):
    for name, text in modules.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)


def test_all_modules_of_a_package_are_listed(tmp_path):
    write(tmp_path, MODULES)
    assert {*sources.closure(tmp_path, ["belief.*"])} == {"belief.odds", "belief.other"}
    write(tmp_path, {"sim/deck.py": 'found = modules_of("belief", "plugins")\n'})
    assert {*sources.closure(tmp_path, ["sim.table"])} == {
        "sim.table",
        "sim.deck",
        "belief.odds",
        "belief.other",
    }
    with pytest.raises(Refusal, match=r"sim\.nothing names no module"):
        sources.digest(tmp_path, ["sim.nothing"])


def test_every_result_names_modules_that_are_there():
    everything = [one for one in listing.read() if one.rows.exists()]
    parts = {one.name: one.parts(one.rows) for one in everything}
    every = {modules for found in parts.values() for modules in found.values()}
    for modules in every | {one.modules for one in everything}:
        assert {*modules} - {listing.EVERY_PLAYER} <= sources.closure(ROOT, modules).keys()
    assert parts["ferrari_1"] == {"": ("experiments.tables.path_trees",)}
    searches = {"sim.players.planner" in modules for modules in parts["search"].values()}
    assert searches == {True, False}, "a match counts the players of its own"
