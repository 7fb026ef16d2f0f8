"""For all tests: the order of their files, the width of the terminal, and Ctrl-C as in one.

Compiling the search of the game takes two minutes in one process.  One file that needs it comes
first and the others last, so that of two processes one compiles while the other runs the rest.
"""

import os
import re
import signal
from functools import cache
from pathlib import Path

os.environ["COLUMNS"] = "80"  # what is printed does not depend on the terminal at hand

# A shell starts what it runs in the background with SIGINT ignored, and Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

_COMPILES = "test_planners.py"
_SEARCHES = re.compile(r"sim\.plan|sim\.players|from positions|\bbmcts\b")


@cache
def _place(path: Path) -> int:
    """Return 0 for the file that compiles the search, 2 for those that need it, 1 for others."""
    if path.name == _COMPILES:
        return 0
    return 2 if _SEARCHES.search(path.read_text()) else 1


def pytest_collection_modifyitems(items):
    """Order the files (a stable sort: their tests stay together and in order)."""
    items.sort(key=lambda item: _place(item.path))
