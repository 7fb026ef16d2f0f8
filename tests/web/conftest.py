"""Make what the tests of this folder share (`at_table`) importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
