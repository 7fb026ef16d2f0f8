"""A file of tests that passes its budget is found; files are small enough to be recorded."""

import durations


def test_a_file_that_passes_its_budget_is_found():
    recorded = {"tests/test_long.py": 20.0}
    assert durations.overruns({"tests/test_long.py": 59.0}, recorded) == []
    (line,) = durations.overruns({"tests/test_long.py": 61.0}, recorded)
    assert line == "tests/test_long.py took 61 s of CPU; its budget is 60 s"
    assert durations.overruns({"tests/test_new.py": 21.0}, recorded)
