"""Make what the tests of this folder share (`ladder`) importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
