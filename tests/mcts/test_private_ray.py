"""Private parts of Ray are found, and one line reports those that a version lacks."""

from mcts.distributed import private


def test_this_version_has_all_parts(capsys):
    private._warn.cache_clear()
    assert private.find("ray._private.ray_constants").ENABLE_RAY_CLUSTER is not None
    assert private.find("ray._private.node", "Node").start_monitor
    assert private.find("ray._private.services", "find_gcs_addresses").cache_clear
    for name in ("AuthenticationTokenLoader", "Config"):
        assert not isinstance(private.find("ray._raylet", name), private.Absent)
    assert private.find("ray._private.worker")._worker_logs_enabled in (True, False)
    assert callable(private.find("ray._private.utils", "read_ray_address"))
    assert capsys.readouterr().err == ""


def test_missing_parts_are_reported_once_and_do_nothing(capsys):
    private._warn.cache_clear()
    missing = private.find("ray._private.ray_constants", "no_name"), private.find("ray._no_module")
    for part in missing:
        assert isinstance(part, private.Absent)
        assert not part.instance().has_token(ignore_auth_mode=True)
        assert list(part()) == [] and "127.0.0.1:1" not in part
        part.ENABLE_RAY_CLUSTER = False
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and "was not tried" in line
