"""A file of tests that passes its budget is found; files are small enough to be recorded."""

import durations


def test_a_file_that_passes_its_budget_is_found():
    recorded = {"tests/test_long.py": 20.0}
    assert durations.overruns({"tests/test_long.py": 59.0}, recorded) == []
    (line,) = durations.overruns({"tests/test_long.py": 61.0}, recorded)
    assert line == "tests/test_long.py took 61 s of CPU; its budget is 60 s"
    assert durations.overruns({"tests/test_new.py": 21.0}, recorded)


def test_a_slow_machine_is_no_overrun_and_a_slow_file_on_it_is():
    recorded = {f"tests/test_{number}.py": 10.0 for number in range(12)}
    slowly = dict.fromkeys(recorded, 45.0)  # above 40 s, all of them
    assert durations.overruns(slowly, recorded) == []
    (line,) = durations.overruns(slowly | {"tests/test_3.py": 181.0}, recorded)
    assert line == "tests/test_3.py took 181 s of CPU; its budget is 180 s"
    few = dict(list(slowly.items())[:3])
    assert len(durations.overruns(few, recorded)) == 3  # too few to blame the machine
