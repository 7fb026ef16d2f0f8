"""Information is exact, additive and indifferent to order; submodular where it says so."""

from __future__ import annotations

from itertools import combinations, permutations, product
from math import log

import numpy as np
import pytest

from sim.hunt.graph import mask, members
from sim.hunt.measurements import Benefit, Independent, NaiveBayes, Partition, classifier, detector

TABLE_III = ((12, 2, 9.56), (10, 2, 7.96), (12, 3, 13.84))
"""w_B, rooms of seven that are measured, B_tot; 9.55 and 13.84 are printed, cut and not rounded."""

IN_BITS = (13.79, 11.49, 19.97)


def naive(seed: int, targets: int = 5, hypotheses: int = 4, outcomes: int = 3) -> NaiveBayes:
    """Return random measurements that are independent given y, with some zeros."""
    rng = np.random.default_rng(seed)
    likelihood = rng.dirichlet(np.full(outcomes, 0.5), (targets, hypotheses))
    likelihood[rng.random(likelihood.shape) < 0.2] = 0
    likelihood[..., 0] += 1 - likelihood.sum(axis=2)
    return NaiveBayes(rng.dirichlet(np.ones(hypotheses)), likelihood)


def joint(benefit: NaiveBayes) -> np.ndarray:
    """Return P(y, z_0, z_1, ..) of measurements that are independent given y."""
    table = benefit.prior
    for target, likelihood in enumerate(benefit.likelihood):
        table = table[..., None] * likelihood.reshape(len(table), *[1] * target, -1)
    return table


def by_definition(table: np.ndarray, chosen: tuple[int, ...]) -> float:
    """Return H(y) - H(y | z_S) as eq. 3 has it, in nats, one outcome after another."""
    prior = table.reshape(len(table), -1).sum(axis=1)
    shown = -sum(p * log(p) for p in prior if p > 0)
    for outcome in product(*(range(table.shape[1 + i]) for i in chosen)):
        where = dict(zip(chosen, outcome, strict=True))
        key = tuple(where.get(i, slice(None)) for i in range(table.ndim - 1))
        masses = [float(table[(y, *key)].sum()) for y in range(len(table))]
        shown += sum(p * log(p / sum(masses)) for p in masses if p > 0)
    return shown


def subsets(targets: int) -> list[tuple[int, ...]]:
    return [chosen for size in range(targets + 1) for chosen in combinations(range(targets), size)]


def worst_gain(benefit: Benefit) -> tuple[float, float]:
    """Return the least I(y; z_i | z_S), and the most that it grows when S grows by one target."""
    value = {frozenset(chosen): benefit.value(chosen) for chosen in subsets(benefit.targets)}
    gain = {
        (known, i): value[known | {i}] - value[known]
        for known in value
        for i in set(range(benefit.targets)) - known
    }
    growth = (
        gain[known | {j}, i] - gain[known, i]
        for known, i in gain
        for j in range(benefit.targets)
        if j not in known and j != i
    )
    return min(gain.values()), max(growth)


@pytest.mark.parametrize("seed", range(3))
def test_information_is_that_of_the_definition(seed):
    benefit = naive(seed)
    table = joint(benefit)
    for chosen in subsets(4):
        assert benefit.value(chosen) == pytest.approx(by_definition(table, chosen), abs=1e-12)


def test_reductions_add_up_in_any_order():
    """Eqs. 6, 7 and Remark 4.2; single steps do depend on the order."""
    benefit = naive(4)
    orders = list(permutations(range(min(4, benefit.targets))))
    steps = np.array([benefit.reductions(order)[np.argsort(order)] for order in orders])
    assert steps.sum(axis=1) == pytest.approx(benefit.value(orders[0]), abs=1e-12)
    assert np.ptp(steps, axis=0).max() > 0.01


def test_a_repeated_measurement_tells_nothing():
    benefit = naive(5)
    once, twice = benefit.reductions([2, 0]), benefit.reductions([2, 2, 0, 2])
    assert twice == pytest.approx([once[0], 0, once[1], 0])
    assert benefit.value([2, 0, 2]) == benefit.value([0, 2])


def test_naive_bayes_is_submodular():
    for seed in range(8):
        least, growth = worst_gain(naive(seed))
        assert least > -1e-12 and growth < 1e-12


def test_rooms_of_table_iii():
    rooms = Partition(np.full(7, 1 / 7))
    looked = NaiveBayes(rooms.probability, detector(7, hit=1, false_alarm=0))
    for (weight, measured, printed), bits in zip(TABLE_III, IN_BITS, strict=True):
        shown = rooms.value(range(measured))
        rest = 7 - measured
        assert shown == pytest.approx(log(7) - rest / 7 * log(rest))
        assert looked.value(range(measured)) == pytest.approx(shown)
        assert round(weight * shown, 2) == printed
        assert round(weight * shown / log(2), 2) == bits > printed + 3


def test_partition_is_a_sensor_that_never_errs():
    probability = np.array([0.4, 0.1, 0.3, 0.0, 0.2])
    rooms = Partition(probability)
    sure, unsure = (NaiveBayes(probability, detector(5, hit, 1 - hit)) for hit in (1.0, 0.9))
    all_masks = np.array([mask(chosen, 5) for chosen in subsets(5)])
    assert sure.values(all_masks) == pytest.approx(rooms.values(all_masks), abs=1e-12)
    assert (unsure.values(all_masks)[1:] < rooms.values(all_masks)[1:] + 1e-12).all()
    assert unsure.value([0]) < rooms.value([0]) - 0.1
    even = NaiveBayes(np.full(7, 1 / 7), detector(7, hit=0.9, false_alarm=0.1))
    assert even.reductions([0, 3]) == pytest.approx([0.1945, 0.1913], abs=5e-5)
    least, growth = worst_gain(rooms)
    assert least > -1e-12 and growth < 1e-12


def test_targets_of_their_own_add_up():
    rng = np.random.default_rng(7)
    prior, accuracy = rng.dirichlet(np.ones(2), 130), rng.uniform(0.5, 1, 130)
    field = Independent(prior, classifier(accuracy, 2))
    single = [
        NaiveBayes(prior[i], classifier(accuracy, 2)[i : i + 1]).value([0]) for i in (0, 64, 129)
    ]
    assert field.information[[0, 64, 129]] == pytest.approx(single)
    assert field.value([0, 129, 64, 0]) == pytest.approx(sum(single))
    assert worst_gain(Independent(prior[:4], classifier(accuracy[:4], 2)))[1] == pytest.approx(
        0, abs=1e-12
    )
    useless = Independent(prior, classifier(np.full(130, 0.5), 2))
    assert useless.information == pytest.approx(np.zeros(130), abs=1e-12)


@pytest.mark.parametrize(
    "benefit",
    [
        naive(8, targets=6),
        Partition(np.full(130, 1 / 140)),
        Independent(np.full((130, 2), 0.5), classifier(np.linspace(0.5, 1, 130), 2)),
    ],
)
def test_many_sets_at_once_are_one_by_one(benefit):
    rng = np.random.default_rng(9)
    masks = np.array(
        [
            mask(np.flatnonzero(rng.random(benefit.targets) < 0.4), benefit.targets)
            for _ in range(20)
        ]
    )
    assert benefit.values(masks) == pytest.approx([benefit.value(members(bits)) for bits in masks])
    assert np.ptp(benefit.values(masks)) > 0


def test_too_many_outcomes_are_refused(monkeypatch):
    """Those of probability 0 do not count: sensors that never err are affordable."""
    monkeypatch.setattr("sim.hunt.measurements.MOST_OUTCOMES", 100)
    prior = np.full(8, 1 / 8)
    assert NaiveBayes(prior, detector(8, 1.0, 0.0)).value(range(8)) == pytest.approx(log(8))
    noisy = NaiveBayes(prior, detector(8, 0.9, 0.1))
    with pytest.raises(ValueError, match=r"7 measurements of 2 outcomes .* measure fewer targets"):
        noisy.value(range(7))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: NaiveBayes(np.full(3, 1 / 3), detector(4, 1, 0)), "do not fit 3 hypotheses"),
        (lambda: NaiveBayes(np.full(4, 1 / 3), detector(4, 1, 0)), "sum to 1"),
        (lambda: NaiveBayes(np.full(4, 1 / 4), detector(4, 1.2, 0)), "at least 0"),
        (lambda: Independent(np.full(2, 0.5), classifier(np.ones(2), 2)), "of their own"),
        (lambda: Partition(np.array([0.7, 0.7])), "at most 1"),
    ],
)
def test_what_is_no_distribution_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize("sensors", [2, 9])
def test_no_set_tells_more_than_the_most(sensors):
    """Few noisy sensors show less together than one by one, many at most what there is to know."""
    benefit = NaiveBayes(np.full(3, 1 / 3), detector(3, 0.9, 0.1)[np.arange(sensors) % 3])
    alone = sum(benefit.value([sensor]) for sensor in range(sensors))
    assert benefit.value(range(sensors)) < benefit.upper_bound()
    assert benefit.upper_bound() == pytest.approx(min(alone, log(3)))
    assert (alone < log(3)) == (sensors == 2)
