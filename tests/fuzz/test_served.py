"""No request to the table in the browser does harm; and the fuzzer finds what would."""

import re

import pytest
import served

from experiments.web.server import records
from experiments.web.tables import registry

CASES = 60


def complaints(tmp_path, number=CASES):
    """Yield what is wrong with each case that is found to be, as soon as it is."""
    return (found.complaint for found in served.attack(number, 1, tmp_path) if found)


def test_requests_are_answered_or_refused(tmp_path):
    assert list(complaints(tmp_path)) == []


def hash_identifiers_alone(monkeypatch):
    """Fail on a token with a character that none has."""
    monkeypatch.setattr(
        registry, "hash_token", lambda token: HASH(re.fullmatch(r"[\w-]+", token)[0])
    )


def send_seeds(monkeypatch):
    """Show the seeds of records."""
    monkeypatch.setattr(records, "CHOSEN_DIGITS", 99)
    monkeypatch.setattr(records, "_contents", lambda it, get=records._contents, **_: get(it, True))


PLANTS = {
    hash_identifiers_alone: "HTTP/1.1 500",
    send_seeds: "a seed that was drawn by chance",
}


@pytest.mark.nightly
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(tmp_path, monkeypatch, plant):
    plant(monkeypatch)
    assert any(PLANTS[plant] in complaint for complaint in complaints(tmp_path, 20 * CASES))


HASH = registry.hash_token


def test_the_same_seed_makes_the_same_requests():
    known = {"seats": ["/seat/a"], "watches": ["/watch/b"], "records": ["c"]}
    made = [
        [served.build_request(served.Random(f"{seed}/{case}"), known) for case in range(9)]
        for seed in (1, 1, 2)
    ]
    assert made[0] == made[1] != made[2]
