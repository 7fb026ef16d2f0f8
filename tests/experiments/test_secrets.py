"""Secrets: what a tracking server wants reaches it, and is printed and written nowhere."""

from __future__ import annotations

import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from experiments import terminal
from experiments.matches.row_provenance import player_digest
from experiments.provenance import provenance, tracking
from experiments.provenance.files import write_json
from experiments.run import Run
from experiments.settings import commandline
from experiments.settings.commandline import Refusal
from experiments.texts import redact

SECRET = "hunter2-of-mine"
SMALL = ("player=random", "opponent=random", "match.games=6", "match.workers=1")


class Server(ThreadingHTTPServer):
    """As much of a tracking server as a run needs; keeps what it is sent.

    Lets nobody in without the header ``Authorization`` that it wants.
    """

    def __init__(self, folder, wanted):
        super().__init__(("127.0.0.1", 0), Handler)
        self.wanted, self.heard, self.refused = wanted, [], 0
        self.stage, self.artifacts = "active", folder.as_uri()
        Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, path):
        info = {"run_id": "0" * 32, "experiment_id": "1", "artifact_uri": self.artifacts}
        run = {"run": {"info": {**info, "status": "RUNNING"}, "data": {}}}
        about = {"experiment_id": "1", "name": "compare", "lifecycle_stage": self.stage}
        known = {"get-by-name": {"experiment": about}, "create": run, "get": run, "update": run}
        return known.get(path.partition("?")[0].rpartition("/")[2], {})


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        allowed = self.headers.get("Authorization") == self.server.wanted
        self.server.refused += not allowed
        self.server.heard.append(self.path + body.decode())
        said = json.dumps(self.server.answer(self.path) if allowed else {}).encode()
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def serve(tmp_path):
    """Start a server that wants the given header."""
    made = []
    (tmp_path / "artifacts").mkdir()

    def begin(wanted):
        made.append(Server(tmp_path / "artifacts", wanted))
        return made[-1], f"127.0.0.1:{made[-1].server_address[1]}"

    yield begin
    for server in made:
        server.shutdown()
        server.server_close()


def traces(folder):
    """Return the files below ``folder`` that hold the secret."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if SECRET.encode() in path.read_bytes()]


BASIC = "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
WAYS = {
    "in the address": (BASIC, "http://me:{secret}@{host}", {}),
    "user and password": (
        BASIC,
        None,
        {"TRACKING_USERNAME": "me", "TRACKING_PASSWORD": SECRET, "TRACKING_URI": "http://{host}"},
    ),
    "token": (f"Bearer {SECRET}", "http://{host}", {"TRACKING_TOKEN": SECRET}),
}


@pytest.mark.parametrize("way", WAYS)
def test_credentials_reach_the_server_and_nobody_else(
    way, serve, run_compare, monkeypatch, tmp_path
):
    wanted, uri, variables = WAYS[way]
    server, host = serve(wanted)
    for name, value in variables.items():
        monkeypatch.setenv(f"MLFLOW_{name}", value.format(host=host))
    asked = [*SMALL] + ([f"tracking.uri={uri.format(host=host, secret=SECRET)}"] if uri else [])
    ran = run_compare(*asked)
    assert (ran.code, ran.err) == (0, "")
    assert any("log-batch" in said for said in server.heard) and not server.refused
    assert SECRET not in ran.out + "".join(server.heard)
    assert not traces(tmp_path), "in no file of the run, its artifacts or beside it"
    assert ("***@" in (ran.folder / "config.yaml").read_text()) == (way == "in the address")
    again = run_compare(*asked, "match.games=8", f"run.folder={ran.folder}")
    assert (again.code, again.err, ran.line["games"]) == (0, "", 8)
    assert not traces(tmp_path)


def test_a_multirun_writes_no_secret(run_compare, tmp_path):
    ran = run_compare(
        *(*SMALL, "-m", "seed=1,2", "tracking.enabled=false"),
        f"tracking.uri=http://me:{SECRET}@host",
    )
    assert (ran.code, ran.err) == (0, "")
    assert SECRET not in ran.out
    written = (ran.folder / "multirun.yaml").read_text()
    assert written.count("***@host") >= 2, "as the setting and as what was typed"
    assert len(list(ran.folder.glob("*/games-*.parquet"))) == 2 and not traces(tmp_path)


def test_a_server_that_lets_us_not_in_or_has_lost_the_experiment_is_a_warning(serve, run_compare):
    server, host = serve("Bearer other")
    uri = f"tracking.uri=http://me:{SECRET}@{host}"
    ran = run_compare(*SMALL, uri)
    assert ran.code == 0 and server.refused and ran.line["games"] == 6
    assert f"cannot record to http://***@{host}: " in ran.err
    assert SECRET not in ran.err and ran.err.count("\n") == 1
    server.wanted, server.stage = BASIC, "deleted"
    ran = run_compare(*SMALL, uri)
    assert ran.code == 0 and "mlflow experiments restore --experiment-id 1" in ran.err


CASES = {
    f"http://me:{SECRET}@host:5000/x": "http://***@host:5000/x",
    f"cannot: 'https://{SECRET}@host'": "cannot: 'https://***@host'",
    f"postgresql://me:a/{SECRET}@@host/db": "postgresql://***@host/db",
    f"http://host/?api_key={SECRET}": "http://host/?api_key=***",
    f"prog --auth-token '{SECRET} b' -x": "prog --auth-token *** -x",
    f"prog --password={SECRET} -x": "prog --password=*** -x",
    "sqlite:////home/me@work/x.db": "sqlite:////home/me@work/x.db",
    "player.budget.simulations=10": "player.budget.simulations=10",
    "max_tokens=7": "max_tokens=7",
}


@pytest.mark.parametrize("given", CASES)
def test_what_is_secret_is_seen_in_a_text_and_in_settings(given):
    assert redact(given) == CASES[given] == redact(redact(given))
    nested = {"a": [given, {"password": SECRET, "Token": SECRET, "size": 3}], "b": None}
    hidden = {"password": "***", "Token": "***", "size": 3}
    assert redact(nested) == {"a": [CASES[given], hidden], "b": None}


def test_every_outlet_redacts(capsys, tmp_path, monkeypatch):
    command = f"tracking.uri=http://me:{SECRET}@host"
    player = {"name": "external", "command": f"prog --token {SECRET}"}
    monkeypatch.setattr("sys.argv", ["x", command, f"player.command={player['command']}"])
    commandline.attempt("sleuth", lambda: (_ for _ in ()).throw(Refusal(command)))
    terminal.console().print(command)
    write_json(tmp_path, {"player": player, "command": provenance.command()})
    Run(tmp_path).check_same(redact(player), player)
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err + (tmp_path / "summary.json").read_text()
    assert shown.out == "tracking.uri=http://***@host\n" and "***" in shown.err
    assert player_digest(player) == player_digest(redact(player)), "as read from its folder"


def test_what_names_no_store_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "x://y")
    assert tracking.choose_uri("http://z", tmp_path) == "http://z"
    assert tracking.choose_uri(None, tmp_path) == "x://y"
    with pytest.raises(Refusal, match=r"tracking\.uri=mlruns: give sqlite"):
        tracking.check_uri("mlruns")
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert tracking.choose_uri(None, tmp_path) == f"sqlite:///{tmp_path / 'mlflow.db'}"
