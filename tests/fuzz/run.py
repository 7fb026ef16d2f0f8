"""Run the fuzzers at length: python tests/fuzz/run.py [--seed N] [commands=1000 records=5000 ...].

Prints for each fuzzer the cases and what was found, and exits with 1 if anything was.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from rich.progress import track

sys.path.append(str(Path(__file__).resolve().parents[2]))  # benchmarks, which are not installed

FUZZERS = {
    "commands": 1000,
    "records": 5000,
    "folders": 1000,
    "served": 1000,
}
"""Modules of this folder, and the cases of a long run."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("fuzzers", nargs="*", metavar="NAME=CASES", help=", ".join(FUZZERS))
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    wanted = dict(text.partition("=")[::2] for text in asked.fuzzers) or FUZZERS
    if unknown := sorted(set(wanted) - set(FUZZERS)):
        parser.error(f"no such fuzzer: {', '.join(unknown)}; there are {', '.join(FUZZERS)}")
    found = 0
    for name, number in wanted.items():
        number = int(number or FUZZERS[name])
        with tempfile.TemporaryDirectory(prefix="sleuth-fuzz-") as folder:
            attack = importlib.import_module(name).attack(number, asked.seed, Path(folder))
            findings = 0
            for finding in track(attack, name, number):
                if finding is not None:  # shown at once: a long run may be ended early
                    findings += 1
                    print(f"  {finding.case}\n    {finding.complaint}", flush=True)
        print(f"{name}: {number} cases, seed {asked.seed}: {findings} findings")
        found += findings
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
