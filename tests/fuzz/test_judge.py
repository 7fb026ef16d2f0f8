"""The judge of the fuzzers lets pass what a user may see, and nothing else."""

import pytest
from judge import Outcome, complaint

TRACE = "Traceback (most recent call last):\n  File x\nValueError: x\n"

GOOD = [
    Outcome(0, "a table\n", ""),
    Outcome(1, "", "sleuth-compare: no such player\n"),
    Outcome(130, "", "sleuth-compare: interrupted\n"),
]

BAD = {
    "it does not end": Outcome(None, "", ""),
    "a traceback: ValueError: x": Outcome(1, "", TRACE),
    "exit code 2: usage": Outcome(2, "", "usage\n"),
    "a refusal in 2 lines: two": Outcome(1, "", "one\ntwo\n"),
    "a refusal in 0 lines: ": Outcome(1, "it failed\n", ""),
}


@pytest.mark.parametrize("seen", GOOD)
def test_a_result_and_a_line_pass(seen):
    assert complaint(seen) is None


@pytest.mark.parametrize("words", BAD)
def test_what_a_user_must_not_see_is_told(words):
    assert complaint(BAD[words]) == words
