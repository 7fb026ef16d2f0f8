from . import compare, sweep, table
from .plotting import intervals, picture, reference_line, shares
from .settings.commandline import Refusal
from .stats.intervals import Estimate, win_rate
from .study import Rows, Settings, Study
from .tabular import Table, count

__all__ = [
    "Estimate",
    "Refusal",
    "Rows",
    "Settings",
    "Study",
    "Table",
    "compare",
    "count",
    "intervals",
    "picture",
    "reference_line",
    "shares",
    "sweep",
    "table",
    "win_rate",
]
