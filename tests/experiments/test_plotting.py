"""Pictures show what they are given, and are whole or not there."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from experiments import plotting


def test_a_picture_is_whole_or_not_there(tmp_path):
    path = tmp_path / "a.png"
    with plotting.picture(path, "title", (2, 2), columns=2) as (_, axes):
        assert axes.shape == (1, 2)
        assert not path.exists()
    assert path.read_bytes().startswith(b"\x89PNG")
    before = path.read_bytes()
    with pytest.raises(ValueError), plotting.picture(path, "title", (2, 2)):
        raise ValueError
    assert path.read_bytes() == before
    with pytest.raises(OSError), plotting.picture(tmp_path / "no" / "a.png", "title", (2, 2)):
        pass
    assert list(tmp_path.iterdir()) == [path]
    assert not plt.get_fignums(), "figures are closed"
