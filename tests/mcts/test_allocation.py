"""The cores of a process are those of its allocation, not of the machine."""

import os

import pytest

from mcts.kernel.allocation import SLURM, cores

BOUND = 8


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """Bind this process to 8 cores, with no word from Slurm."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(BOUND))
    monkeypatch.delenv(SLURM, raising=False)


@pytest.fixture
def count(tmp_path):
    """Return the cores of a process in the ``listed`` groups, with ``quotas`` of version 2."""

    def ask(listed="", quotas=()):
        (tmp_path / "cgroup").write_text(listed)
        for group, quota in dict(quotas).items():
            path = tmp_path / "groups" / group / "cpu.max"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{quota}\n")
        return cores(tmp_path / "cgroup", tmp_path / "groups")

    return ask


def test_without_limits_they_are_those_of_the_affinity(count, tmp_path):
    assert count() == BOUND
    assert cores(tmp_path / "no file", tmp_path) == BOUND


@pytest.mark.parametrize(
    ("granted", "found"),
    [("3", 3), ("64", BOUND), ("0", BOUND), ("-2", BOUND), ("2.5", BOUND), ("", BOUND)],
)
def test_slurm_grants_cores_per_task(count, monkeypatch, granted, found):
    monkeypatch.setenv(SLURM, granted)
    assert count() == found


@pytest.mark.parametrize(
    ("quota", "found"),
    [
        ("200000 100000", 2),
        ("350000 100000", 3),  # rounded down
        ("50000 100000", 1),  # at least one
        ("9900000 100000", BOUND),
        ("max 100000", BOUND),
        ("unreadable", BOUND),
    ],
)
def test_a_control_group_limits_time(count, quota, found):
    assert count("0::/slurm/job_1\n", {"slurm/job_1": quota}) == found


def test_the_groups_around_it_limit_as_well(count):
    above = {"": "max 100000", "slurm": "300000 100000"}
    assert count("0::/slurm/job_1/step_0\n", above) == 3
    assert count("0::/elsewhere\n") == BOUND  # its root has no limit


@pytest.mark.parametrize(("quota", "found"), [(150_000, 3), (-1, BOUND)])
def test_groups_of_the_first_version(tmp_path, quota, found):
    listed = tmp_path / "cgroup"
    listed.write_text("9:name=systemd:/\n4:cpu,cpuacct:/docker/a\n3:cpuset:/\n0::/\n")
    group = tmp_path / "cpu,cpuacct"  # as a container sees its own group: at the root
    group.mkdir()
    (group / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    (group / "cpu.cfs_period_us").write_text("50000\n")
    assert cores(listed, tmp_path) == found


def test_a_quota_of_another_group_does_not_count(count):
    """The control: the same files, and a process elsewhere."""
    other = {"slurm/job_2": "100000 100000"}
    assert count("0::/slurm/job_1\n", other) == BOUND
    assert count("0::/slurm/job_2\n", other) == 1
    assert count("3:cpuset:/slurm/job_2\n", other) == BOUND


def test_the_least_of_all_counts(count, monkeypatch):
    monkeypatch.setenv(SLURM, "5")
    assert count("0::/\n", {"": "400000 100000"}) == 4
    assert count("0::/\n", {"": "600000 100000"}) == 5
