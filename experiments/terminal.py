"""Output of commands: a console that shows text and obeys none.

Rich takes brackets for markup, ``:smile:`` for a picture and lets escape sequences through; names
of players, of files and what a record says are none of that.  All consoles are made here.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.style import Style
from rich.text import Text

from experiments.texts import lines, redact


class Terminal(Console):
    """A console to which every string is what it is, without characters that cannot be seen."""

    def render_str(self, text: str, *, style: str | Style = "", **how: Any) -> Text:
        """Return ``text`` as it is shown, wherever it is given: printed, or as a cell."""
        return Text(
            lines(redact(text)), style, justify=how.get("justify"), overflow=how.get("overflow")
        )


def console(**options: Any) -> Console:
    """Return a console; ``options`` are those of `rich.console.Console`."""
    return Terminal(highlight=False, markup=False, emoji=False, **options)
