"""Damaged caches, a few; and that the fuzzer finds what a look at checksums prevents."""

import cache
import pytest

from mcts.kernel.compile import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

SEED, CASES = 10, 6
"""With this seed the control finds a fault soon."""


def test_a_damaged_cache_does_no_harm_and_is_mended(tmp_path):
    assert list(cache.attack(CASES, SEED, tmp_path)) == [None] * CASES


def test_without_checksums_the_fuzzer_finds_faults(tmp_path):
    assert any(cache.attack(CASES, SEED, tmp_path, whole=False))
