"""A cluster is joined, or refused in one line within a bounded time."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from experiments.matches import runner
from experiments.settings.commandline import Refusal
from mcts.distributed import cluster
from mcts.distributed.local_ray import MODE, TOKEN, ray


@pytest.fixture(autouse=True)
def not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(cluster, "adopt_token", lambda: None)
    nothing = SimpleNamespace(is_initialized=lambda: False, exceptions=ray.exceptions)
    monkeypatch.setattr(cluster, "ray", nothing)


@pytest.fixture
def about(monkeypatch: pytest.MonkeyPatch):
    """Make up the clusters that run on this machine, and the one that it joined last."""

    def make(*addresses: str, last: str | None = None) -> None:
        found = cluster.services.find_gcs_addresses
        look = lambda: frozenset(addresses)  # noqa: E731
        look.cache_clear = found.cache_clear
        monkeypatch.setattr(cluster.services, "find_gcs_addresses", look)
        monkeypatch.setattr(cluster, "read_ray_address", lambda: last)

    return make


def test_an_address_where_nobody_answers_is_refused():
    said = r"ray.address=127.0.0.1:9: no Ray answers there \(Connection refused\): start it with"
    with pytest.raises(Refusal, match=said):
        runner.start("127.0.0.1:9", 2)


def test_what_answers_and_is_no_ray_is_refused(monkeypatch):
    monkeypatch.setattr(cluster, "JOIN_SECONDS", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(Refusal, match=f"the service at {address} is not Ray, or takes"):
            runner.start(address, 2)


@pytest.mark.nightly
def test_a_cluster_that_wants_another_token_is_refused(ray_session, monkeypatch):
    address = ray.get_runtime_context().gcs_address
    joined = []
    monkeypatch.setattr(cluster, "_join", joined.append)
    monkeypatch.setattr(cluster, "Watch", lambda: None)
    runner.start(address, 2)
    assert joined == [address], "not even with the token"
    monkeypatch.setenv(MODE, "token")
    monkeypatch.setenv(TOKEN, "another")
    with pytest.raises(Refusal, match="it wants another token: set RAY_AUTH_MODE=token"):
        runner.start(address, 2)
    assert joined == [address]


def test_auto_is_the_cluster_of_this_machine(about, monkeypatch):
    about("10.0.0.1:6379", "127.0.0.1:4711")  # the second is a local run of somebody
    assert cluster.find_address() == "10.0.0.1:6379"
    about("10.0.0.1:6379", "10.0.0.1:6380", last="10.0.0.1:6380")
    assert cluster.find_address() == "10.0.0.1:6380"
    about("10.0.0.1:6379", last="10.0.0.1:6380")  # which has ended
    assert cluster.find_address() == "10.0.0.1:6379"
    about(last="10.0.0.1:6380")
    assert cluster.find_address() == "10.0.0.1:6380"
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.2:6379")
    assert cluster.find_address() == "10.0.0.2:6379"


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ((), "no cluster runs on this machine: start one"),
        (
            ("10.0.0.1:6379", "10.0.0.1:6380"),
            "2 clusters run on this machine: name one, for instance",
        ),
    ],
)
def test_auto_is_refused_where_it_says_nothing(about, clusters, said):
    about(*clusters)
    with pytest.raises(Refusal, match=f"^ray.address=auto: {said}"):
        runner.start("auto", 2)
