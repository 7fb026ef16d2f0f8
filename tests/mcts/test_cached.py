"""Machine code is found again under what it was made from, and never under anything else."""

import importlib
import os
import sys
from dataclasses import fields
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from numba import typeof

from mcts.domain import _DOMAINS, Domain, domain_of, register
from mcts.kernel import sources, store
from mcts.kernel.cached import _BELONGS, CodeCache, cacheable
from mcts.kernel.compile import INTERPRETED, jit, specialise
from mcts.problems.tiger import TigerParameters
from mcts.simulation import run_simulations

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of modules with a cache; returns how to write some and import one afresh."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "cache").mkdir(0o700)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(store, "open_store", lambda: store.Store(tmp_path / "cache"))
    written = set()

    def forget():
        for name in [name for name in sys.modules if name.partition(".")[0] in written]:
            del sys.modules[name]
        importlib.invalidate_caches()
        sources.forget()

    def start(wanted, **modules):
        for name, text in modules.items():
            path = tmp_path / "modules" / (name.replace("__", "/") + ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            written.add(name.partition("__")[0])
        forget()
        return importlib.import_module(wanted)

    yield start
    forget()


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


TYPE = """
from typing import NamedTuple

class Pair(NamedTuple):
    {}: float
    {}: float
"""

TAKES_IT = """
from mcts.kernel.compile import jit

@jit
def first_half(pair):
    return pair.first / 2
"""


def test_an_edited_type_is_seen_by_functions_that_do_not_import_it(project):
    for order, result, loaded in (
        (("first", "second"), 1.5, 0),
        (("first", "second"), 1.5, 1),
        (("second", "first"), 2.0, 0),
    ):
        kernels = project("takes_it", takes_it=TAKES_IT, its_type=TYPE.format(*order))
        pair = importlib.import_module("its_type").Pair(3.0, 4.0)
        assert kernels.first_half(pair) == result
        assert hits(kernels.first_half) == loaded


RULE = """
from mcts.kernel.compile import jit

@jit
def prize(action):
    return {} + action
"""

USES_IT = """
from mcts.kernel.compile import jit
{}

@jit
def doubled(action):
    return 2 * prize(action)
"""


@pytest.mark.parametrize(
    ("user", "rule", "imported"),
    [
        ("game_here", "rule_here", "from rule_here import prize"),
        ("games__here", "games__prizes", "from .prizes import prize"),
        ("game_here", "rule_here", "from rule_here import (  # (all)\n    prize,\n)"),
    ],
)
def test_an_edit_of_a_module_beside_it_is_seen(project, user, rule, imported):
    for base, result, loaded in ((1.0, 6.0, 0), (1.0, 6.0, 1), (2.0, 8.0, 0)):
        modules = {user: USES_IT.format(imported), rule: RULE.format(base)}
        game = project(user.replace("__", "."), **modules)
        assert game.doubled(2) == result
        assert hits(game.doubled) == loaded


def test_what_was_compiled_before_an_edit_is_not_filed_under_it(project):
    """The function is compiled when it is called, which may be long after it was imported."""
    modules = {"game_here": USES_IT.format("from rule_here import prize")}
    running = project("game_here", rule_here=RULE.format(1.0), **modules)
    edited = RULE.format(2.0)
    with open(importlib.import_module("rule_here").__file__, "w") as file:
        file.write(edited)
    assert running.doubled(2) == 6.0
    assert project("game_here", rule_here=edited, **modules).doubled(2) == 8.0


FACTORY = """
from mcts.kernel.compile import jit

def multiply(factor):
    @jit
    def by(x):
        return factor * x
    return by
"""


def list_code(folder):
    """Return the names of the files of code in ``folder``."""
    return [name for name in os.listdir(folder) if name.endswith(".code")]


def test_functions_with_different_closures_are_distinguished(project):
    for loaded in (0, 1):
        multiply = project("factory", factory=FACTORY).multiply
        by = [multiply(2), multiply(3)]
        assert [kernel(5) for kernel in by] == [10, 15]
        assert [hits(kernel) for kernel in by] == [loaded, loaded]
    by_itself = multiply(multiply(2))  # has no name in another process
    assert isinstance(by_itself._cache, CodeCache)
    assert len(list_code(by_itself.stats.cache_path)) == 2


def test_two_versions_of_a_module_share_the_cache(project):
    for factor, loaded in ((1.0, 0), (2.0, 0), (1.0, 1), (2.0, 1)):
        rule = project("rule_here", rule_here=RULE.format(factor))
        assert rule.prize(1) == factor + 1
        assert hits(rule.prize) == loaded


def test_damaged_code_is_compiled_again_and_replaced(project):
    def start():
        prize = project("rule_here", rule_here=RULE.format(1.0)).prize
        assert prize(1) == 2.0
        return hits(prize), prize.stats.cache_path

    assert start()[0] == 0
    loaded, cache = start()
    assert loaded == 1
    (name,) = list_code(cache)
    path = os.path.join(cache, name)
    whole = store.Store(cache)
    for content in (b"", b"\x80\x04", store.header(name[: -len(".code")], b"junk") + b"junk"):
        with open(path, "wb") as file:
            file.write(content)
        assert start()[0] == 0
        assert start()[0] == 1
    assert whole.folder == cache and list_code(cache) == [name]


def test_switches_belong_to_the_code(monkeypatch):
    """Assertions, and how much the compiler optimises."""
    digest = sources.digest.__wrapped__
    before = digest(frozenset([__name__]))
    assert digest(frozenset([__name__])) == before
    known = {name: getattr(sys, name) for name in ("version", "modules", "stdlib_module_names")}
    digests = {before}
    with monkeypatch.context() as with_o:
        with_o.setattr(sources, "sys", SimpleNamespace(flags=SimpleNamespace(optimize=1), **known))
        digests.add(digest(frozenset([__name__])))
    monkeypatch.setattr(sources, "config", SimpleNamespace(BOUNDSCHECK=None, OPT=1))
    digests.add(digest(frozenset([__name__])))
    assert len(digests) == 3


def test_a_function_without_a_file_is_compiled_each_time():
    scope = {"__name__": __name__}
    exec("def twice(x):\n    return 2 * x", scope)
    assert not cacheable(scope["twice"])
    assert cacheable(hits)
    assert jit(scope["twice"])(3) == 6


def test_a_kernel_of_two_domains_is_kept_for_both_wherever_one_is(monkeypatch, tmp_path):
    """Compiling it for the first makes it name its file as it is imported."""
    monkeypatch.chdir(tmp_path)
    for domain in ("mcts.problems.tiger", "mcts.problems.rocksample"):
        assert isinstance(specialise(run_simulations, domain)._cache, CodeCache)
    assert run_simulations.__code__.co_filename == "mcts/simulation.py"


class Position(NamedTuple):
    """A domain of Tiger's functions, once it is registered."""

    steps: int


def name_code(*values):
    """Return the name of the code of a function that is given ``values``."""
    processor = SimpleNamespace(magic_tuple=lambda: "linux")
    return CodeCache(hits, frozenset([__name__])).name(tuple(map(typeof, values)), processor)


def test_functions_found_by_a_type_belong_to_it(project):
    parts = {part.name: getattr(domain_of(TigerParameters()), part.name) for part in fields(Domain)}
    names = [name_code(Position(1)), name_code(Position(2))]
    for roll in (0.0, 1.0):
        text = f"def rollout(p, s, stream):\n    return {roll}\n"
        rollout = jit(project("rolls", rolls=text).rollout)
        register(**{**parts, "parameters": Position, "rollout": rollout})
        names.append(name_code(Position(1)))
    assert names[0] == names[1] and len(set(names)) == 3
    _DOMAINS.entries.pop(Position), _BELONGS.pop(Position)
    assert name_code(Position(1)) == names[0]
