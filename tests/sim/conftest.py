"""Make the shared test modules of this folder (`positions`, `checks`, ...) importable."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def few_games_for_a_best_response(monkeypatch):
    """Find best responses in no time; they need not be good ones here."""
    from sim.models import best_response

    monkeypatch.setattr(best_response, "_GAMES", 40)
    best_response.best_response.cache_clear()
    yield
    best_response.best_response.cache_clear()
