"""Every command of README and docs runs as printed, page by page, on fewer and shorter games."""

import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
LINE = re.compile(r"^python -m experiments\.(\w+)(.*)$", re.M)
ABSENT = re.compile(r"(?<![\w/.-])[A-Z]{4,}\b|launcher=|searchpath|\.POMDP|game\.py|early")
"""Words that stand for a file of the user's or a scheduler; `tests.test_extending` has some."""

SHORT = {
    "compare": ["match.games=1", "rules.turn_cap=12", "tracking=none"],
    "sweep": ["match.games=1", "rules.turn_cap=12", "tracking=none"],
    "tables": ["games=4"],
    "episodes": ["episodes=2", "simulations=4"],
    "beliefs": ["games=2"],
    "explain": ["player.budget.simulations=20"],
}
FIRST = ["README.md", "docs/explain.md"]
FIRST += ["docs/tutorials/first_comparison.md", "docs/tutorials/sweep.md"]


def commands(page):
    """Yield the commands of a page in order: their module, and their words made short."""
    for kind, block in FENCE.findall((ROOT / page).read_text("utf-8")):
        for name, rest in LINE.findall(block.replace("\\\n", " ") if kind in ("", "sh") else ""):
            words = shlex.split(rest, comments=True)
            short = SHORT.get(name, []) if words and "--help" not in words else []
            given = [word.partition("=")[0] for word in words]
            short = short + ["simulations=2"] * (name == "tables" and "simulations" in given)
            short = short + ["sweep.trials=2"] * ("sweep.trials" in given)
            short = short + ["particles=500"] * ("particles" in given)
            if "ledford" in rest:  # takes hours
                words, given, short = words[:1], given[:1], ["show=true"]
            replaced = {word.partition("=")[0] for word in short}
            if not ABSENT.search(rest):
                kept = [w for w, key in zip(words, given, strict=True) if key not in replaced]
                yield name, [*kept, *short]


PAGES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
LATER = [page for page in PAGES if "results" not in page and page not in FIRST]
LATER = [pytest.param(page, marks=pytest.mark.nightly) for page in LATER if any(commands(page))]


@pytest.mark.parametrize("page", [*FIRST, *LATER])
def test_the_commands_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for number, (name, words) in enumerate(commands(page)):
        place = [f"run.folder={number}"] * (name == "episodes")
        monkeypatch.setattr(sys, "argv", [name, *words, *place])
        with pytest.raises(SystemExit) as ended:
            import_module(f"experiments.{name}.__main__").main()
        out, err = capsys.readouterr()
        if "show=true" in words:
            assert "no games in outputs" in err
            continue
        assert not ended.value.code, (words, err)
        if name == "explain":
            assert re.match(r"line \d+, rules \w+, turn \d+\nseat 0 ", out), out[:200]
