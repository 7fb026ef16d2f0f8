"""Make what the tests of this folder share (`positions`, `checks`, ...) importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
