"""Hook of MkDocs: what the site adds to the pages of docs.

A page of the API for every module, made from the docstrings while the site is built and not kept:
modules are read, never imported.  Results go to the navigation under the headings of their index,
link their figures and stay out of the search, which prefers tutorials and has the API last.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("mcts", "belief", "sim", "experiments")
RESULTS = ROOT / "docs/results"
BOOSTS = {"tutorials/": 4, "api/": 0.001}


def _first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return path.read_text().split('"""', 2)[1].strip().splitlines()[0]


def _packages(package: str) -> dict[str, dict[str, Path]]:
    """Return the packages in one and itself, by dotted names, with their modules by name."""
    folders = sorted(init.parent for init in (ROOT / package).rglob("__init__.py"))
    return {".".join(folder.relative_to(ROOT).parts): _modules(folder) for folder in folders}


def _modules(folder: Path) -> dict[str, Path]:
    return {file.stem: file for file in sorted(folder.glob("[!_]*.py"))}


def _results() -> list:
    """Return the navigation of the results: by the headings of their index, others last."""
    left = {path.stem: path for path in sorted(RESULTS.glob("*.md"))}
    index = left.pop("README").read_text()
    found: list = ["results/README.md"]
    for title, _, text in (section.partition("\n") for section in index.split("\n## ")[1:]):
        names = [name for name in re.findall(r"\]\((\w+)\.md\)", text) if left.pop(name, None)]
        found += [{title: [{name: f"results/{name}.md"} for name in names]}] if names else []
    return [*found, *({name: f"results/{name}.md"} for name in left)]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the results and the pages of the API to the navigation."""
    config.nav.append({"Results": _results()})
    pages = [
        {
            package: [
                {
                    name: [
                        f"api/{name}/README.md",
                        *({one: f"api/{name}/{one}.md"} for one in modules),
                    ]
                }
                for name, modules in _packages(package).items()
            ]
        }
        for package in PACKAGES
    ]
    config.nav.append({"API": ["api/README.md", *pages]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the API, and their index, to the files of the site."""
    pages = {}
    index = ["# API\n\nOne page a module. How packages stand to each other: "]
    index[0] += "[architecture](../architecture.md).\n"
    for package in PACKAGES:
        index.append(f"\n| {package} | |\n|---|---|")
        for name, modules in _packages(package).items():
            about = _first_line(ROOT.joinpath(*name.split("."), "__init__.py"))
            index.append(f"| [`{name}`]({name}/README.md) | {about} |")
            rows = (f"| [`{one}`]({one}.md) | {_first_line(modules[one])} |" for one in modules)
            heads = f"# {name}\n\n{about}\n", "| module | |\n|---|---|"
            pages[f"{name}/README"] = "\n".join([*heads, *rows])
            pages |= {f"{name}/{one}": f"# {name}.{one}\n\n::: {name}.{one}" for one in modules}
    pages["README"] = "\n".join(index)
    for name, text in pages.items():
        files.append(File.generated(config, f"api/{name}.md", content=text + "\n"))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Set what the search makes of a page; let results link their figures."""
    path = page.file.src_uri
    for folder, boost in BOOSTS.items():
        if path.startswith(folder):
            page.meta.setdefault("search", {"boost": boost})
    if path.startswith("results/") and not path.endswith("README.md"):
        page.meta["search"] = {"exclude": True}
        if (csv := RESULTS / Path(path).with_suffix(".csv").name).exists():
            markdown += (
                f"\n\n[All figures of this page]({csv.name}), with those that it leaves out."
            )
    return markdown


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Show the blocks that a docstring introduces by two colons as the blocks of the page."""
    return html.replace("::</p>", ":</p>") if page.file.src_uri.startswith("api/") else html
