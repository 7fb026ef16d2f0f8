"""All that the pages name exists: paths, modules, names in modules, links, commands and their keys.

Code blocks of Python are run elsewhere (`tests.test_python_docs`, `tests.test_extending`).
"""

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs"
CONF = ROOT / "conf"
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"})
"""The changelog names what is gone."""
PACKAGES = ("mcts", "belief", "sim", "experiments")
FOLDERS = (*PACKAGES, "conf", "docs", "tests", "benchmarks", "examples")

FENCE = re.compile(r"```(\w*)\n(.*?)```", re.S)
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./-]*")
NAME = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+")
LINK = re.compile(r"\]\(([^)\s]+)\)")
MODULE = re.compile(r"python -m ([\w.]+)")
COMMAND = re.compile(r"(?:python -m experiments\.|sleuth-)(\w+)((?:[^\n`\\]|\\\n)*)")
SETTING = re.compile(r"^[+~]{0,2}([a-z_]+(?:[.@/][a-z_]+)*)=")
CHOICE = re.compile(r"([a-z_]+)(?:@[a-z_]+)?=([a-z_0-9]+)")
KEY = re.compile(r"^([a-z_]+(?:\.[a-z_]+)+)(?:=\S*)?$")
PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b")
ATTRIBUTE = re.compile(r"([A-Z]\w+)\.(\w+)")
NAMES = r"`\w+`(?:, `\w+`)*"
NAMES_IN_FILE = re.compile(rf"({NAMES}) in `([\w/]+\.py)`")
FILE_WITH_NAMES = re.compile(rf"`([\w/]+\.py)` \(({NAMES})\)")
FLAGS = {"--help", "--cfg", "--multirun", "--config-path", "--config-name"}
EXTENSIONS = set(
    ["py", "md", "yaml", "json", "jsonl", "csv", "png", "html", "parquet", "txt", "db", "graphml"]
)


def prose(text: str) -> str:
    """Return ``text`` without its fenced blocks."""
    return FENCE.sub("", text)


def commands(text: str) -> str:
    """Return the fenced blocks of ``text`` that hold commands, and what is quoted in its prose."""
    blocks = [block for kind, block in FENCE.findall(text) if kind in ("", "bash", "sh")]
    return "\n".join([*blocks, *QUOTED.findall(prose(text))])


def exists(path: str) -> bool:
    """Return whether ``path``, which may end in a slash, is there."""
    found = ROOT / path
    return path.startswith("docs/api/") or (
        found.is_dir() if path.endswith("/") else found.exists()
    )


def source(module: str) -> Path | None:
    """Return the file of a module, the face of a package; None if there is none."""
    stem = ROOT.joinpath(*module.split("."))
    files = (stem.with_suffix(".py"), stem / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def runs(module: str) -> bool:
    """Return whether ``python -m module`` finds something of ours, or something of others."""
    if module.split(".")[0] not in (*PACKAGES, "benchmarks", "tests"):
        return True
    stem = ROOT.joinpath(*module.split("."))
    return stem.with_suffix(".py").is_file() or (stem / "__main__.py").is_file()


def is_named(name: str) -> bool:
    """Return whether a dotted name is a module, or stands in one or in its stub."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        file = source(".".join(parts[:length]))
        if file:
            stub = file.with_suffix(".pyi")
            text = file.read_text() + (stub.read_text() if stub.exists() else "")
            return all(re.search(rf"\b{part}\b", text) for part in parts[length:])
    return False


@cache
def classes() -> dict[str, str]:
    """Return the text of the file of every class of the project, by its name."""
    found = {}
    for file in (file for package in PACKAGES for file in (ROOT / package).rglob("*.py")):
        text = file.read_text()
        found |= dict.fromkeys(re.findall(r"^class (\w+)", text, re.M), text)
    return found


def missing_names(words: str) -> list[str]:
    """Return the names that the prose says are in a file or in a class, and are not."""
    said = [(names, path) for names, path in NAMES_IN_FILE.findall(words)]
    said += [(names, path) for path, names in FILE_WITH_NAMES.findall(words)]
    missing = [
        f"{path}: {name}"
        for names, path in said
        if exists(path)
        for name in QUOTED.findall(names)
        if not re.search(rf"\b{name}\b", (ROOT / path).read_text())
    ]
    attributes = [ATTRIBUTE.fullmatch(token) for token in QUOTED.findall(words)]
    missing += [
        found[0]
        for found in attributes
        if found and not re.search(rf"\b{found[2]}\b", classes().get(found[1], found[2]))
    ]
    return missing


def flat(tree: dict, before: str = "") -> set[str]:
    """Return the dotted keys of a tree, those of its branches included."""
    keys = set()
    for key, value in tree.items():
        keys.add(f"{before}{key}")
        if isinstance(value, dict):
            keys |= flat(value, f"{before}{key}.")
    return keys


def parts(command: str) -> set[str]:
    """Return the names of the YAML files that the configuration of a command is made of."""
    file = CONF / f"{command}.yaml"
    if not file.exists():
        return set()
    listed = (yaml.safe_load(file.read_text()) or {}).get("defaults", [])
    taken = [name for name in listed if isinstance(name, str) and (CONF / f"{name}.yaml").exists()]
    # All settings of a comparison are settings of a sweep.
    taken += ["compare"] if command == "sweep" else []
    return {command}.union(*(parts(name) for name in taken))


@cache
def known_keys(command: str = "") -> frozenset[str]:
    """Return the keys of the configuration of a command, or of all commands."""
    keys = set()
    for file in CONF.rglob("*.yaml"):
        text = file.read_text()
        tree = yaml.safe_load(text) or {}
        tree.pop("defaults", None)
        tree.pop("hydra", None)
        group = file.parent.relative_to(CONF).parts
        if not group and command and file.stem not in parts(command):
            continue
        everywhere = not group or "@package _global_" in text
        keys |= flat(tree, "" if everywhere else ".".join(group) + ".")
        keys |= {f"opponent.{key}" for key in flat(tree)} if group == ("player",) else set()
    return frozenset(keys)


@cache
def groups() -> frozenset[str]:
    """Return the names of the groups of the configuration."""
    return frozenset(path.name for path in CONF.iterdir() if path.is_dir())


def is_known(key: str, command: str = "") -> bool:
    """Return whether ``key`` is one of a command, or of its configuration of a planner."""
    if key.startswith(("hydra.", "hydra/")) or (
        "." not in key and re.split("[@/]", key)[0] in groups()
    ):
        return True
    return bool({key, f"player.{key}"} & known_keys(command))


def looks_like_a_key(token: str) -> bool:
    """Return whether a quoted word is a dotted key, with a value or not, and no file."""
    key = KEY.match(token)
    if not key or key[1].split(".")[-1] in EXTENSIONS:
        return False
    return key[1].split(".")[0] in sections()


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as the site has them."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M)
    plain = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles]
    return {re.sub(r"[-\s]+", "-", title) for title in plain}


def no_such_choice(word: str, text: str) -> bool:
    """Return whether ``word`` chooses no file of its group, of the plugin or of the page."""
    choice = CHOICE.fullmatch(word)
    if not choice or choice[1] not in groups() or choice[2] == "null":
        return False
    options = [CONF / choice[1], ROOT / "tests/data/plugin/sleuth_lantern/conf" / choice[1]]
    return not (
        any((folder / f"{choice[2]}.yaml").exists() for folder in options)
        or f"/{choice[2]}.yaml" in text
    )


def within_site(path: Path) -> bool:
    """Return whether ``path`` is among what the site is built of."""
    return SITE in path.resolve().parents


def faults(text: str, folder: Path) -> list[str]:
    """Return what a page in ``folder`` names that is not there."""
    words = prose(text)
    quoted = QUOTED.findall(words)
    asked = commands(text)
    wrong = []
    for token in quoted:
        if PLACEHOLDER.search(token.split("=")[0]) or "*" in token:
            continue
        if PATH.fullmatch(token) and not exists(token):
            wrong.append(f"no such path: {token}")
        if NAME.fullmatch(token) and token.split(".")[-1] not in EXTENSIONS and not is_named(token):
            wrong.append(f"no such name: {token}")
        if looks_like_a_key(token) and not is_known(token.split("=")[0]):
            wrong.append(f"no such key: {token}")
    wrong += [f"no such name: {name}" for name in missing_names(words)]
    wrong += [f"no such module: {name}" for name in MODULE.findall(asked) if not runs(name)]
    for name, rest in COMMAND.findall(asked):
        rest = re.split(r"#|-sc ", rest)[0]
        for word in rest.split():
            setting = SETTING.match(word.strip("'\""))
            if setting and not is_known(setting[1], name):
                wrong.append(f"no such key: {word}")
            if no_such_choice(word, text):
                wrong.append(f"no such choice: {word}")
            if word.startswith("--") and (CONF / f"{name}.yaml").exists() and word not in FLAGS:
                wrong.append(f"no such flag: {word}")
    for link in LINK.findall(words):
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        if target and not (folder / target).exists():
            wrong.append(f"no such file: {link}")
        elif target and SITE in (folder, *folder.parents) and not within_site(folder / target):
            wrong.append(f"the site has no such page: {link}")
        elif anchor and anchor not in anchors((folder / target).read_text() if target else text):
            wrong.append(f"no such heading: {link}")
    return wrong


@cache
def sections() -> frozenset[str]:
    """Return the first words of dotted keys, those of a planner's sections included."""
    dotted = [key.split(".") for key in known_keys() if "." in key]
    planner = {words[1] for words in dotted if words[0] == "player" and len(words) > 2}
    return frozenset({words[0] for words in dotted} | planner) - {"belief", "sim", "mcts"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page):
    assert not faults(page.read_text(), page.parent)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("see `sim/planning/cluedo_old.py`", "no such path: sim/planning/cluedo_old.py"),
        ("see `sim.planning.config.Plan2`", "no such name: sim.planning.config.Plan2"),
        ("see `Cluedo.pays_deal`", "no such name: Cluedo.pays_deal"),
        ("`sow` in `mcts/tree.py`", "no such name: mcts/tree.py: sow"),
        ("```\npython -m experiments.compute\n```", "no such module: experiments.compute"),
        ("set `search.curiosity` higher", "no such key: search.curiosity"),
        ("```\npython -m experiments.compare games=3\n```", "no such key: games=3"),
        (
            "```\npython -m experiments.sweep match.games=3 \\\n  player.doubt=1\n```",
            "no such key: player.doubt=1",
        ),
        ("`python -m experiments.compare player=gredy`", "no such choice: player=gredy"),
        ("```\npython -m experiments.compare --games 3\n```", "no such flag: --games"),
        ("[there](nowhere.md#here)", "no such file: nowhere.md#here"),
        ("[there](README.md#nowhere)", "no such heading: README.md#nowhere"),
    ],
)
def test_the_check_finds(text, fault):
    assert faults(text, ROOT) == [fault]


def test_the_check_finds_what_the_site_has_not():
    assert faults("[there](../SECURITY.md)", SITE) == ["the site has no such page: ../SECURITY.md"]
    assert not faults("[there](game.md), [here](#)", SITE)


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) <= 600


def is_long(text: str) -> bool:
    return len(text.split()) > 2500


def test_no_page_of_the_site_is_above_2500_words():
    assert [page.name for page in PAGES if SITE in page.parents and is_long(page.read_text())] == []
    assert is_long("word " * 2501) and not is_long("word " * 2500)


def test_every_page_of_the_docs_is_in_the_navigation():
    listed = (ROOT / "mkdocs.yml").read_text()
    pages = [path.relative_to(SITE).as_posix() for path in PAGES if path.is_relative_to(SITE)]
    assert len(pages) > 20
    # Those of results are added by docs/api_pages.py.
    assert [name for name in pages if name not in listed and not name.startswith("results/")] == []
