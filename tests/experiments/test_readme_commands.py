"""The README's lines on explaining a move run as they stand, with a smaller budget elsewhere."""

import re
from importlib import import_module
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
LINE = re.compile(r"^python -m experiments\.(compare|explain|report) (.*outputs/one.*)$", re.M)
SMALLER = {"compare": ["player.budget.simulations=20", "tracking=none"]}
SMALLER["explain"] = ["player.budget.simulations=20", "tree.picture=null"]


def test_a_move_of_a_game_is_explained_by_the_lines_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = LINE.findall(README.read_text("utf-8"))
    assert [command for command, _ in lines] == ["compare", "explain", "report"]
    for command, arguments in lines:
        main = import_module(f"experiments.{command}.__main__")
        given = [*arguments.split(), *SMALLER.get(command, ())]
        assert main.COMMAND.run(given) == 0, (command, capsys.readouterr().err)
        out = capsys.readouterr().out
        if command == "explain":
            assert re.match(r"line \d+, rules \w+, turn \d+\nseat 0 ", out), out[:200]
    assert (tmp_path / "outputs" / "one" / "report.html").exists()
