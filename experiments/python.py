"""Call the commands from Python: keywords, results, refusals.

`overrides_of` turns keywords into command-line overrides, so both are checked by the same code, are
refused with the same messages, and play the same games with the same seed.
"""

from __future__ import annotations

import io
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stdout,
    suppress,
)
from dataclasses import asdict, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from rich.console import Console

from experiments import terminal
from experiments.settings import arguments, signals
from experiments.settings.commandline import FAULTS, Refusal, explain
from mcts.kernel.plugins import blame_plugin
from mcts.limits import did_you_mean

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from experiments.tabular import Table

GROUPS = ("player", "opponent", "rules")
"""Keywords that choose a preset and may change it."""

WIDTH = 100
"""Columns of a result printed as text."""


class Refused(Refusal, ValueError):
    """A call that cannot be carried out; the one-line message gives the reason and the remedy."""


@contextmanager
def refusing() -> Iterator[None]:
    """Raise `Refused` for faults of the block; an interrupt does not cut off a write."""
    try:
        with signals.handle(), blame_plugin():
            yield
    except Refused:
        raise
    except FAULTS as fault:
        raise Refused(explain(fault)) from None


def overrides_of(
    schema: type, given: Mapping[str, Any], more: Sequence[str] = (), axes: bool = False
) -> list[str]:
    """Return the equivalent command-line overrides for Hydra.

    ``given``: keywords.  A key found in only one section of ``schema`` may omit the section:
    ``games`` for ``match.games``.  A dict holds the keys of a section, or changes a preset of
    `GROUPS`: ``{"preset": "bmcts", "budget": {"simulations": 300}}``; a player may be a
    `sim.Policy`.  ``more``: overrides as typed on a command line; ``axes``: whether a list of
    values is an axis of a sweep.
    """
    sections = {
        one.name: section.name
        for section in fields(schema)
        if is_dataclass(kind := get_type_hints(schema)[section.name])
        for one in fields(kind)
    }
    top = {one.name for one in fields(schema)}
    typed: list[str] = []
    for key, value in given.items():
        if key == "tracking" and isinstance(value, bool):
            key, value = "tracking", {"enabled": value}
        if key in sections and key not in top and key != "experiment":
            key = f"{sections[key]}.{key}"
        elif hint := "" if "." in key or key in top else did_you_mean(key, {*top, *sections}):
            raise Refusal(f"{key}: unknown{hint}")
        typed += _type(key, value, axes)
    return arguments.read([*typed, *more], schema).overrides


def _type(key: str, value: Any, axes: bool) -> Iterator[str]:
    """Yield ``key=value`` overrides for a possibly nested ``value``."""
    if key in GROUPS and not isinstance(value, (str, Mapping, list, tuple)):
        value = _settings_of(key, value)
    if not isinstance(value, Mapping):
        yield f"{key}={_text(value, axes and not key.startswith(('match.', 'run.')))}"
        return
    changes = dict(value)
    if key in GROUPS:
        preset = changes.pop("preset", None) or changes.pop("name", None)
        if preset is not None:
            yield from _type(key, preset, axes)
    for name, below in changes.items():
        yield from _type(f"{key}.{name}", below, axes)


def _settings_of(key: str, value: Any) -> dict[str, Any]:
    """Return the preset of a policy and its changed switches; Refusal for other values."""
    from sim.policies.registry import Policy, make_switches

    if key == "rules" or not isinstance(value, Policy):
        policy = "" if key == "rules" else ", or a sim.Policy"
        raise Refusal(f"{key}: give the name of a preset or a dict with a preset{policy}")
    usual = asdict(make_switches(value.name))
    changed = {key: now for key, now in asdict(value.switches).items() if now != usual[key]}
    return {"preset": value.name, "showing": value.showing, **changed}


def _text(value: Any, axis: bool = False) -> str:
    if isinstance(value, str) and not axis and "," in value and value[0] not in "[({'\"":
        return arguments.quote_text(value)  # one text, where a command line has several
    if isinstance(value, (list, tuple, range)):
        items = ",".join(map(_text, value))
        return items if axis else f"[{items}]"
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def console(progress: bool) -> Console:
    """Return the console for progress, in a terminal or a notebook; quiet unless ``progress``."""
    return terminal.console(quiet=not progress)


def silent(wanted: bool) -> AbstractContextManager[Any]:
    """Suppress the block's output if ``wanted``."""
    return redirect_stdout(io.StringIO()) if wanted else nullcontext()


class Result:
    """The result of a call: rows, summary, table and plot; its repr is its table.

    Attributes
    ----------
    folder : with the files that the command writes; a ``temporary`` one is removed with the last
        reference to the result
    """

    def __init__(self, folder: Path, temporary: bool = False) -> None:
        self.folder = folder
        if temporary:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @property
    def rows(self) -> pl.DataFrame:
        """One row per counted game and seat, as described in `docs/parquet.md`."""
        raise NotImplementedError

    @property
    def summary(self) -> dict[str, Any]:
        """The content of ``summary.json``."""
        from experiments.provenance.files import SUMMARY, read_json

        return read_json(self.folder / SUMMARY)

    @cached_property
    def table(self) -> Table:
        """The table that the command prints."""
        raise NotImplementedError

    def draw(self, folder: Path) -> None:
        """Draw the command's plots to ``folder`` as PNG."""
        raise NotImplementedError

    def plot(self) -> Figure:
        """Return the command's plot as a Matplotlib figure; ValueError if it has none."""
        from experiments import plotting

        with tempfile.TemporaryDirectory() as place, plotting.keep_figures() as figures:
            self.draw(Path(place))
        if not figures:
            raise ValueError("this result has no plot")
        return figures[0]

    def show(self, console: Console) -> None:
        """Print what the command prints at the end."""
        from experiments import tabular

        tabular.show(self.table, console)

    def __repr__(self) -> str:
        with io.StringIO() as text:
            self.show(terminal.console(file=text, width=WIDTH))
            return text.getvalue().rstrip()

    def _repr_html_(self) -> str:
        from experiments import tabular

        return str(tabular.html(self.table, "result"))


@contextmanager
def calling(given: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield ``given``, with a temporary, untracked folder if it names none, and whether it does.

    Raises as `refusing`.  An interrupted call keeps its folder: ``folder=`` continues there.
    """
    named = {key: value for key, value in given.items() if value is not None}
    with refusing():
        if {"folder", "run"} & set(named):
            yield named, False
            return
        folder = Path(tempfile.mkdtemp(prefix="sleuth-"))
        try:
            yield {"tracking": False, **named, "folder": folder}, True
        except BaseException:
            with suppress(OSError):  # a refused call leaves it empty
                folder.rmdir()
            raise
