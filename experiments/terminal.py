"""Console output that shows text verbatim.

Rich interprets brackets as markup and ``:smile:`` as an emoji, and passes escape sequences through;
names of players and files, and text from records, must not be interpreted.  All consoles are made
here.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.style import Style
from rich.text import Text

from experiments.texts import lines, redact


class Terminal(Console):
    """A console that prints every string verbatim, without invisible characters."""

    def render_str(self, text: str, *, style: str | Style = "", **how: Any) -> Text:
        """Return ``text`` as shown, whether printed or used as a cell."""
        return Text(
            lines(redact(text)), style, justify=how.get("justify"), overflow=how.get("overflow")
        )


def console(**options: Any) -> Console:
    """Return a console; ``options`` are those of `rich.console.Console`."""
    return Terminal(highlight=False, markup=False, emoji=False, **options)
