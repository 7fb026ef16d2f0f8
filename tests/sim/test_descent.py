"""Gradient descent with an adaptive rate: its rule by hand, and the gradient of a network."""

import numpy as np
import pytest

from benchmarks.qlearning.descent import (
    CUT,
    GROWTH,
    WORSE,
    descend,
    network_error,
    start_weights,
)


def bowl(point):
    """Return a quadratic and its gradient: steps of a rate above 1 make it worse."""
    return float(point @ point), 2 * point


def test_a_step_that_makes_it_better_is_made_and_the_rate_grows():
    done = descend(bowl, np.array([3.0, 4.0]), 0.25, 1)
    np.testing.assert_allclose(done.point, [1.5, 2.0])
    assert (done.errors, done.rates) == ([6.25], [0.25 * GROWTH])


def test_a_step_that_makes_it_much_worse_is_not_made_and_the_rate_falls():
    """A rate of 1.5 doubles the distance; control: 1.005 adds 2 % to the error, and is let by."""
    start = np.array([3.0, 4.0])
    done = descend(bowl, start, 1.5, 1)
    np.testing.assert_array_equal(done.point, start)
    assert (done.errors, done.rates) == ([25.0], [1.5 * CUT])
    let_by = descend(bowl, start, 1.005, 1)
    assert 25 < let_by.errors[0] < WORSE * 25 and let_by.rates == [1.005]
    assert not np.array_equal(let_by.point, start)


@pytest.mark.parametrize("activation", ["logistic", "relu"])
def test_the_gradient_of_a_network_is_that_of_differences(activation):
    rng = np.random.default_rng(3)
    inputs, targets = rng.random((20, 4)), rng.normal(size=20)
    measure, split = network_error(inputs, targets, 5, activation)
    weights = start_weights(rng, 4, 5)
    assert [part.shape for part in split(weights)] == [(4, 5), (5,), (5,), ()]
    gradient = measure(weights)[1]
    for i in range(len(weights)):
        step = np.zeros_like(weights)
        step[i] = 1e-6
        slope = (measure(weights + step)[0] - measure(weights - step)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, abs=1e-6)


def test_first_weights_are_those_of_nguyen_and_widrow():
    """As hyperbolic tangents over inputs from -1 to 1, slopes of one size and spread biases."""
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    inputs = np.random.default_rng(1).random((50, 3))
    split = network_error(inputs, np.zeros(50), 4, "logistic")[1]
    first, bias, last, final = split(start_weights(rng, 3, 4))
    slopes = again.uniform(-1, 1, (3, 4))
    size = 0.7 * 4 ** (1 / 3)
    slopes *= size / np.linalg.norm(slopes, axis=0)
    outward = again.uniform(-1, 1, 5)
    biases = size * np.array([-1, -1 / 3, 1 / 3, 1]) * np.sign(slopes[0])
    expected = np.tanh((2 * inputs - 1) @ slopes + biases) @ outward[:4] + outward[4]
    found = 1 / (1 + np.exp(-(inputs @ first + bias))) @ last + final
    np.testing.assert_allclose(found, expected)
