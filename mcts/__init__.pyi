from . import openspiel, problems
from .bmcts.explain import export_beliefs
from .bmcts.options import BeliefOptions
from .bmcts.search import BeliefSearch
from .contract.testing import check_domain, check_search
from .domain import domain_of, register
from .inspect import draw, export, principal_variation, root_table
from .kernel.compile import jit
from .kernel.errors import SleuthError
from .kernel.rng import new_stream, uniform
from .limits import above, between, one_of
from .options import Budget, Options
from .plain.episode import Episode, play_episode
from .plain.particle_filter import Deprived, ParticleFilter
from .plain.problem import Problem
from .reference import Reference
from .root import RootSearch, SearchersLost
from .search import Search, SearchResult
from .tabular.exact import exact_value
from .tabular.files import read_pomdp, write_pomdp
from .tabular.tables import Tabular
from .threads import private
from .tree import Tree

__all__ = [
    "BeliefOptions",
    "BeliefSearch",
    "Budget",
    "Deprived",
    "Episode",
    "Options",
    "ParticleFilter",
    "Problem",
    "Reference",
    "RootSearch",
    "Search",
    "SearchResult",
    "SearchersLost",
    "SleuthError",
    "Tabular",
    "Tree",
    "above",
    "between",
    "check_domain",
    "check_search",
    "domain_of",
    "draw",
    "exact_value",
    "export",
    "export_beliefs",
    "jit",
    "new_stream",
    "one_of",
    "openspiel",
    "play_episode",
    "principal_variation",
    "private",
    "problems",
    "read_pomdp",
    "register",
    "root_table",
    "uniform",
    "write_pomdp",
]
