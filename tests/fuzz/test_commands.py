"""A few command lines at random, in one process; and a planted fault of each kind is found."""

from commands import CASES, attack, cases, examine
from forks import running

FEW = 8


def test_whatever_is_typed_is_done_or_refused_in_a_line(tmp_path):
    assert [found for found in attack(FEW, 3, tmp_path, heavy=False) if found] == []


def test_the_same_seed_makes_the_same_cases():
    assert list(cases(20, 5)) == list(cases(20, 5))
    assert list(cases(20, 5)) != list(cases(20, 6))
    assert {command for command, *_ in cases(200, 0)} == set(CASES)


PLANTED = {
    "raise KeyError('planted')": "a traceback: KeyError: 'planted'",
    "import sys; sys.exit(3)": "exit code 3: ",
    "import sys; print('one\\ntwo', file=sys.stderr); sys.exit(1)": "a refusal in 2 lines: two",
    "open('../away', 'w')": "writes outside its folder: open ",
    "open('kept/note.txt', 'a').write('more')": "note.txt is not what it was",
    "import os; os.symlink('..', 'x'); os.mkdir('x/y')": "writes outside its folder: os.mkdir",
    "import time; time.sleep(60)": "it does not end",
}


def test_a_planted_fault_is_found(tmp_path):
    """The controls: commands that do what none may do."""
    kept, commands = tmp_path / "kept", tmp_path / "modules/planted"
    kept.mkdir()
    (kept / "note.txt").touch()
    commands.mkdir(parents=True)
    for number, source in enumerate(PLANTED):
        (commands / f"fault{number}.py").write_text(f"def main():\n    {source}\n")
    with running(tmp_path, heavy=False, seconds=2.0, planted=commands.parent) as forks:
        for number, said in enumerate(PLANTED.values()):
            name, folder = f"planted.fault{number}", tmp_path / str(number)
            found = examine(forks, name, [], {}, folder, kept)
            assert found is not None and found.complaint.startswith(said), found
