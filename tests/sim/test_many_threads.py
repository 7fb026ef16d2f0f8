"""Three hundred searches by eight threads each, over all domains, leave valid trees.

(The tests of threads show that the invariants fail without atomic operations.)
"""

import pytest
from positions import SMALL, searched_position, unsure_positions

from benchmarks.games.kuhn_poker import TREES, KuhnParameters
from mcts.contract.testing import check_invariants
from mcts.kernel.compile import INTERPRETED
from mcts.options import IN_FLIGHT, Budget, Options
from mcts.problems.rocksample import PUBLISHED, rocksample
from mcts.problems.tiger import TigerParameters
from mcts.search import Search

DOMAINS = {
    "tiger": TigerParameters,
    "rocksample": lambda: rocksample(7, PUBLISHED[7, 8]),
    "kuhn": lambda: KuhnParameters(opponent=TREES),
    "cluedo": lambda: searched_position(unsure_positions(1)[0], SMALL)[0],
}
SEARCHES = 6 if INTERPRETED else 60
SIMULATED = 40 if INTERPRETED else 120


@pytest.mark.nightly
@pytest.mark.parametrize("domain", DOMAINS)
def test_no_search_leaves_a_bad_tree(domain):
    p = DOMAINS[domain]()
    for in_flight in IN_FLIGHT:
        options = Options(threads=8, oversubscribe=True, nodes=SIMULATED, in_flight=in_flight)
        search = Search(p, options)
        for key in range(SEARCHES // 3):
            result = search.run(Budget(simulations=SIMULATED), key)
            assert result.simulations == SIMULATED
            check_invariants(search.tree)
