"""Hook of MkDocs: a page of the API for every package, made from the docstrings.

The pages are made while the site is built and are not kept.  Modules are read, never imported.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("mcts", "belief", "sim", "experiments")


def _first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return path.read_text().split('"""', 2)[1].strip().splitlines()[0]


def _page(folder: Path) -> str:
    """Return the page of one package: a section for each of its modules."""
    name = ".".join(folder.relative_to(ROOT).parts)
    parts = [f"# {name}\n", f"{_first_line(folder / '__init__.py')}\n"]
    for module in sorted(folder.glob("*.py")):
        if module.stem.startswith("__"):
            continue
        parts.append(f"## {name}.{module.stem}\n\n::: {name}.{module.stem}\n")
    return "\n".join(parts)


def _packages(package: str) -> list[tuple[str, Path]]:
    """Return dotted name and folder of a package and of those in it."""
    folders = sorted(init.parent for init in (ROOT / package).rglob("__init__.py"))
    return [(".".join(folder.relative_to(ROOT).parts), folder) for folder in folders]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the results and the pages of the API to the navigation."""
    results = sorted(path.name for path in (ROOT / "docs/results").glob("*.md"))
    results.remove("README.md")
    pages = [{name.removesuffix(".md"): f"results/{name}"} for name in results]
    config.nav.append({"Results": ["results/README.md", *pages]})
    pages = [
        {package: [{name: f"api/{name}.md"} for name, _ in _packages(package)]}
        for package in PACKAGES
    ]
    config.nav.append({"API": ["api/README.md", *pages]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the API, and their index, to the files of the site."""
    index = ["# API\n\nOne page a package. How they stand to each other: "]
    index[0] += "[architecture](../architecture.md).\n"
    for package in PACKAGES:
        index.append(f"\n| {package} | |\n|---|---|")
        for name, folder in _packages(package):
            files.append(File.generated(config, f"api/{name}.md", content=_page(folder)))
            index.append(f"| [`{name}`]({name}.md) | {_first_line(folder / '__init__.py')} |")
    files.append(File.generated(config, "api/README.md", content="\n".join(index) + "\n"))
    return files
