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
        '"""Draw it anew."""',
        "# the name has 12 signs",
        "message = 'mend the package'",
        "def told(x):\n    return x",
        "def _measured(x):\n    return x",
    ],
)
def test_a_fault_is_found(tmp_path, text):
    file = tmp_path / "module.py"
    file.write_text(text)
    assert diction.faults([file])


@pytest.mark.parametrize(
    "text",
    [
        "The same whatever the plays it, however long.",  # once written by a replacement
        "Return the the cards.",
        "Each of\nof them.",
        "Take the a card.",
        "It ends when the is over.",
        "Looks at each game. So that the end does not depend on workers.",
        "One or the other , as it comes.",
        "It is over. or it is not yet.",
        "Return whether the answer comes from the belief or\nnot.",
    ],
)
def test_a_broken_sentence_is_found(tmp_path, text):
    file = tmp_path / "module.py"
    lines = "".join(f"    # {line}\n" for line in text.splitlines())
    for source in (f'def f():\n    """{text}\n    """\n', f"x = 1\n{lines}"):
        file.write_text(source)
        assert diction.faults([file]), source


def test_whole_sentences_pass(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "The rows it has, the plug-in in whose file it is; `the the`. Each its own.\n\n"
        "So that it ends, it is asked. The node at which a was legal.\n\n    the the\n"
    )
    assert diction.faults([page]) == []
