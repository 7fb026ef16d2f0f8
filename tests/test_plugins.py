"""Entry points of other packages: found, played, in the digests; and refused in a line.

Nothing is installed: a distribution is a folder on the path with its metadata beside its package.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from belief.beliefs import registry as beliefs
from experiments.matches import play
from experiments.matches.failures import GameRaised
from experiments.matches.schedule import Match, Seating
from mcts.kernel import plugins
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.plugins import BrokenPlugin, blame_plugin
from mcts.kernel.sources import modules_of
from sim.policies import registry as policies

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "tests/data/plugin"
POLICIES, BELIEFS = "sleuth.policies", "sleuth.beliefs"


def describe(folder: Path, project: dict) -> None:
    """Write the metadata of the ``project`` table of a pyproject.toml, as an installer would."""
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(script: str, *path: Path, **environment: str) -> str:
    """Run ``script`` with the project and ``path`` importable; return the last line it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [ROOT, *path])), **environment},
        capture_output=True,
        text=True,
        timeout=270,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().rpartition("\n")[2]


USE = """
import json
import numpy as np
from belief.beliefs.registry import BELIEFS, make_belief
from belief.contract.testing import check_belief
from mcts.kernel.plugins import entry_points
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.contract.testing import check_domain
from sim.arena import play_many
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.player import PolicyPlayer
from sim.policies.registry import FAST_NAMES, NAMES
from sim.referee import play
from sim.rules import preset

found = {"policies": NAMES, "fast": FAST_NAMES, "beliefs": sorted(BELIEFS)}
if "lantern" in NAMES:
    rules = preset("speed", turn_cap=200)
    games = play_many(rules, ["lantern", "closure", "closure", "lantern"], 1, np.arange(2))
    found["suggestions"] = games.suggestions.tolist()
    make_first = entry_points("sleuth.players")["first"].load()
    first = make_first({"name": "first", "label": "mine"}, rules)
    closures = [PolicyPlayer("closure") for _ in range(3)]
    game = play(rules, [first, *closures], 1, 0)
    found["seat"] = [game.seats[0].player, game.turns]
    few = {"options": Options(nodes=9), "budget": Budget(simulations=8)}
    planner = Planner(PlannerConfig("pomcp", belief="hazy", rollout="closure", **few))
    play(preset("speed", turn_cap=8), [planner, *closures], 1, 0)
    found["planner"] = [planner.config.node_belief, planner.simulations]
    check_belief(lambda setting, stream: make_belief("hazy", setting, stream), questions=(0, 5))
    doors = entry_points("sleuth.domains")["doors"].load()
    p = doors.Doors(np.array([0.25, 1.0, 0.5]))
    check_domain(p, paths=2, draws=4)
    result = Search(p, Options(nodes=10)).run(Budget(simulations=60), 1)
    found["search"] = [result.best, result.values.tolist()]
print(json.dumps(found))
"""


@pytest.fixture
def site(tmp_path):
    """A folder in which the example package is installed."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    describe(tmp_path / "site", project)
    (tmp_path / "site/sleuth_lantern").symlink_to(EXAMPLE / "sleuth_lantern")
    return tmp_path / "site"


def test_the_example_package_is_found_and_played(site):
    found = json.loads(run(USE, site, NUMBA_DISABLE_JIT="1"))
    assert found["policies"] == [*policies.FAST_NAMES, "lantern", "greedy"]
    assert found["fast"] == [*policies.FAST_NAMES, "lantern"]
    assert found["beliefs"] == sorted([*beliefs.BELIEFS, "hazy"])
    assert all(min(game[0], game[3]) > 0 for game in found["suggestions"])
    assert found["seat"][0] == "mine" and found["seat"][1] > 0
    assert found["planner"][0] == "constrained" and found["planner"][1] > 0
    assert found["search"] == [1, [0.25, 1.0, 0.5]]


TABLE = """
from mcts.kernel.compile import jit
from mcts.kernel.sources import modules_of
from mcts.kernel.dispatch import by_number

FOUND = [module for module in modules_of("sorts", "sleuth.test") if hasattr(module, "price")]
_price = by_number([module.price for module in FOUND])

@jit
def price(number, amount):
    return _price(number, amount)
"""

SORT = """
from mcts.kernel.compile import jit

@jit
def price(amount):
    return {} * amount
"""

RUN = """
from sorts.table import FOUND, price
print([price(i, 10) for i in range(len(FOUND))], sum(price.stats.cache_hits.values()))
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_machine_code_knows_the_plugins(tmp_path):
    ours, theirs = tmp_path / "sorts", tmp_path / "site/orchard"
    for folder in (ours, theirs):
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    (ours / "table.py").write_text(TABLE)
    (ours / "apple.py").write_text(SORT.format(1))
    pear = theirs / "pear.py"
    pear.write_text(SORT.format(2))
    describe(
        tmp_path / "site",
        {
            "name": "orchard",
            "version": "1",
            "entry-points": {"sleuth.test": {"pear": "orchard.pear"}},
        },
    )

    def prices(*path):
        # Without bytecode, by which an edit of the same size within a second would not be seen.
        alone = {"SLEUTH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return run(RUN, tmp_path, *path, **alone)

    assert prices() == "[10] 0"
    assert prices(tmp_path / "site") == "[10, 20] 0"
    assert prices(tmp_path / "site") == "[10, 20] 1"
    pear.write_text(SORT.format(3))
    assert prices(tmp_path / "site") == "[10, 30] 0"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that puts a distribution with some modules on this process's path."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(group, entries, name="sleuth-broken", **sources):
        describe(tmp_path, {"name": name, "version": "2.0", "entry-points": {group: entries}})
        for module, source in sources.items():
            (tmp_path / f"{module}.py").write_text(source)
        plugins.entry_points.cache_clear()

    yield install
    plugins.entry_points.cache_clear()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def load_policies():
    return modules_of("sim.policies", "sleuth.policies")


@pytest.mark.parametrize(
    ("target", "source", "sentence"),
    [
        ("torn", "import page_one", "ModuleNotFoundError: No module named 'page_one'; fix or un"),
        ("torn", "import sys; sys.exit('bye')", "cannot be loaded from torn: SystemExit: bye"),
        ("1 2", "", "is '1 2': it must name a module"),
        ("torn.other", "", "must name a module called torn"),
    ],
    ids=["import", "exits", "nonsense", "name"],
)
def test_a_plugin_that_cannot_be_loaded_is_named(install, target, source, sentence):
    install(POLICIES, {"torn": target}, torn=source)
    with pytest.raises(BrokenPlugin, match=sentence) as raised:
        load_policies()
    assert str(raised.value).startswith("sleuth-broken 2.0: 'torn' of sleuth.policies ")
    assert "\n" not in str(raised.value)


KERNELS = """
from mcts.kernel.compile import jit
@jit
def misspelt(amount):
    return amount + pricee
@jit
def strict(amount):
    raise ValueError("no amount")
    return amount
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("misspelt", r"torn\.py:5: misspelt cannot be compiled: NameError: name 'pricee' is not"),
        ("strict", "raised ValueError: no amount"),
    ],
)
def test_a_plugin_is_named_for_what_its_kernels_raise(install, kernel, sentence):
    """Machine code names the file as it is imported, wherever it was made."""
    install(POLICIES, {"torn": "torn"}, torn=KERNELS)
    torn = plugins.entry_points(POLICIES)["torn"].load()
    with pytest.raises(BrokenPlugin, match=sentence) as raised, blame_plugin():
        getattr(torn, kernel)(1)
    assert str(raised.value).startswith("sleuth-broken 2.0: 'torn' of sleuth.policies ")
    assert "\n" not in str(raised.value)


def test_a_name_of_ours_is_refused(install):
    install(POLICIES, {"heuristic": "heuristic"}, heuristic="")
    with pytest.raises(BrokenPlugin, match=r"has the name of sim\.policies\.heuristic"):
        load_policies()


def test_one_name_in_two_distributions_is_refused(install):
    install(POLICIES, {"twin": "twin"}, twin="")
    install(POLICIES, {"twin": "twin"}, name="sleuth-other")
    one_or_other = r"'twin' .* also the name of one in sleuth-(broken|other) 2\.0"
    with pytest.raises(BrokenPlugin, match=one_or_other):
        plugins.entry_points(POLICIES)
    # Schemas are made when a command is imported, where nothing could report it in a line.
    assert plugins.names(POLICIES) == ["twin"]


def test_a_policy_without_its_parts_is_refused(install, monkeypatch):
    install(POLICIES, {"blank": "blank"}, blank="REQUIRES, turn = 0, None\n")
    monkeypatch.setattr(policies, "_OUTSIDE", plugins.entry_points(POLICIES))
    with pytest.raises(BrokenPlugin, match=r"'blank' .* has no to_accuse and no suggestion"):
        list(filter(policies._has_policy, load_policies()))


NAMED = """
from belief.beliefs.closure import ClosureBelief
class Named(ClosureBelief):
    name = {!r}
"""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("exact", r"'odd' .* has a belief 'exact', as belief\.beliefs\.\w+ has"),
        ("even", "'odd' .* has no belief of that name in odd"),
    ],
)
def test_a_belief_of_another_name_is_refused(install, name, sentence):
    install(BELIEFS, {"odd": "odd"}, odd=NAMED.format(name))
    with pytest.raises(BrokenPlugin, match=sentence):
        beliefs._find_beliefs()


RUDE = """
import sys
from sim.player import Player
class Rude(Player):
    def begin(self, rules, seat, view, key):
        {begin}
    def decide(self, view):
        {decide}
def make(spec, rules):
    {make}
    return Rude("rude")
"""

FAULTS = {
    "make": ("raise KeyError('nothing')", "raised KeyError: 'nothing'"),
    "begin": ("raise GeneratorExit('early')", "raised GeneratorExit: early"),
    "decide": ("sys.exit(7)", "raised SystemExit: 7"),
}


@pytest.fixture
def match():
    opponent = {"name": "closure", "showing": "random", "label": "closure"}
    rude = {"name": "rude", "label": "rude"}
    rules = {"name": "speed", "turn_cap": 8}
    return Match("rude", rules, (rude, opponent), Seating.one(4, range(4)), 0, 1)


@pytest.mark.parametrize("where", FAULTS)
def test_a_player_that_raises_in_play_is_named(install, match, where):
    source, sentence = FAULTS[where]
    lines = {name: source if name == where else "pass" for name in FAULTS}
    install("sleuth.players", {"rude": "rude:make"}, rude=RUDE.format(**lines))
    play._seat.cache_clear()
    with pytest.raises(BrokenPlugin) as raised:
        play.portion(match, [0])
    play._seat.cache_clear()
    assert str(raised.value) == (
        f"sleuth-broken 2.0: 'rude' of sleuth.players {sentence}; fix or uninstall the package"
    )
    said = str(GameRaised([0], raised.value, ""))
    assert said == f"game 0: {raised.value}"
