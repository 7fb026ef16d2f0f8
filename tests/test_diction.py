"""The project's words are plain: no faults of `diction`, which finds the faults planted here."""

import diction
import pytest

ROOT = diction.ROOT
PLACES = [ROOT / name for name in (*diction.CODE, "conf", "docs")]
PLACES += [page for page in ROOT.glob("*.md") if page.name != "CHANGELOG.md"]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_words_are_plain(place):
    assert diction.faults([place]) == []


@pytest.mark.parametrize(
    "text",
    [
        '"""What the run says."""',
        '"""Tell whether it is so."""',
        '"""Say so to whoever asks."""',
        "# the name has 12 signs",
        "def told(x):\n    return x",
    ],
)
def test_a_fault_is_found(tmp_path, text):
    file = tmp_path / "module.py"
    file.write_text(text)
    assert diction.faults([file])


def test_plain_words_pass(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        '"""Return whether two states can be told apart."""\ndef need():\n    return 1\n'
    )
    assert diction.faults([file]) == []
