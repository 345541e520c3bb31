"""Isolation: another account of the machine cannot access a running deployment or a running trial.

Each is tested twice: in the normal state, where folders deny access, and with all folders and sockets opened
to all accounts, where passwords and the keeper's own check must deny it.
"""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pymysql
import pytest
from lab_ordinary import UID, ordinary
from lab_support import GENTLE, HEAD, LIMIT, OPERATOR, PATIENCE, program, timing

from fivenines.base.paths import cache as own_cache
from fivenines.base.paths import short_path
from fivenines.lab.network.network import PREFIX
from fivenines.load.dsn import parse_dsn
from fivenines.servers.secrets import FOLDER
from fivenines.software.store import engine

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0,
    reason="only root can be another account for a moment; NOT TESTED: access to running deployments and "
    "trials of any engine, cluster and manager as another account",
)

PORTS = (22, 2222, 2379, 2380, 3306, 3307, 5432, 6446, 8008, 9200, 33060, 33061)
SECRET = re.compile(r"\b[0-9a-f]{32}\b")
KINDS = {
    "postgresql": ("hot-standby", "postgres-18", f"manager: {OPERATOR}"),
    "mariadb": ("replication", "mariadb-10.11", "replicas: 1, access: {kind: haproxy, interval: 1s}"),
    "mysql": ("replication", "mysql-9.7", f"replicas: 1, manager: {OPERATOR}"),
    "patroni": ("patroni", "postgres-18", ""),
}
# Clusters with hosts, sockets and ports that the others lack: their number of nodes, their settings.
CLUSTERS = {
    "galera": ("galera", "mariadb-10.11", "2", ("arbiter=true", "access=haproxy")),
    "innodb-cluster": ("innodb-cluster", "mysql-9.7", "3", ()),
    "mha": ("replication", "mariadb-10.11", "3", ("manager=mha",)),
    "pacemaker": ("replication", "mariadb-10.11", "3", ("manager=pacemaker", "mode=after_sync")),
}


@dataclass
class Place:
    """Provide a home that others may enter, with a cache that an older version left open."""

    home: Path
    running: "subprocess.Popen[str] | None" = None
    """The program that was started last."""

    @property
    def cache(self) -> Path:
        return self.home / "cache"

    def run(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run the program as the owner."""
        return subprocess.run(
            program(*arguments),
            cwd=self.home,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            input=text,
        )

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "FIVENINES_CACHE": str(self.cache), "COLUMNS": "200"}

    def stranger(self, top: Path, lab: Path, *, opened: bool, users: bool = False) -> list[str]:
        """Return everything that another account tried with success."""
        request = {
            "folders": [str(top)],
            "secrets": secrets(lab),
            "processes": processes(lab),
            "ports": [(f"{PREFIX}.{number}", port) for number in (11, 12) for port in PORTS],
            "expect_sockets": opened,
            "users": users and opened,
        }
        assert request["secrets"] and request["processes"], "there is something to be kept secret"
        script = self.home / "lab_intruder.py"
        command = ordinary([sys.executable, str(script)], self.home, self.home / "nothing")
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, timeout=LIMIT, check=False
        )
        assert done.returncode == 0, done.stderr
        worked: list[str] = json.loads(done.stdout)
        return worked


@pytest.fixture
def place() -> Iterator[Place]:
    home = Path(tempfile.mkdtemp(prefix="home-of-fivenines-"))
    home.chmod(0o755)
    found = Place(home)
    for part in ("", "playground"):
        (found.cache / part).mkdir()
        (found.cache / part).chmod(0o755)
    for part in ("engines", "data"):
        (own_cache() / part).mkdir(parents=True, exist_ok=True)
        (found.cache / part).symlink_to(own_cache() / part)
    (home / "nothing").mkdir()
    shutil.copy(Path(__file__).parents[1] / "support" / "lab_intruder.py", home)
    (home / "lab_intruder.py").chmod(0o644)
    yield found
    found.run("down")
    if found.running is not None and found.running.poll() is None:
        found.running.kill()
        found.running.wait()
    shutil.rmtree(home, ignore_errors=True)


def secrets(lab: Path) -> list[str]:
    """Return the passwords of a lab, which its owner can read."""
    files = [path for path in lab.glob(f"*/node/{FOLDER}/*") if path.suffix != ".pem"]
    return sorted({match for path in files for match in SECRET.findall(path.read_text(errors="replace"))})


def processes(lab: Path) -> list[int]:
    """Return the PIDs of all processes with the lab's folder in their arguments, and of their descendants."""
    first = [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(str(lab) in word for word in process.info["cmdline"] or ())
    ]
    pids = {process.pid for process in first}
    for process in first:
        try:
            pids |= {child.pid for child in process.children(recursive=True)}
        except psutil.NoSuchProcess:
            continue
    return sorted(pids)


def _below(top: Path) -> Iterator[Path]:
    """Yield a folder and all paths below it; fast, as a running trial does not wait."""
    yield top
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            yield Path(folder, name)


def open_up(top: Path) -> None:
    """Open every folder and every socket to all accounts, as an owner might by mistake."""
    for path in _below(top):
        try:
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) and not path.is_symlink():
                path.chmod(0o755)
            elif stat.S_ISSOCK(mode) and path.name != "haproxy.sock":
                # HAProxy's socket has no account check: its mode is the second layer there.
                path.chmod(0o777)
        except OSError:
            continue


def open_to_others(top: Path) -> list[str]:
    """Return all paths below a folder that another account could read, by their mode."""
    return [
        str(path) for path in (top, *top.rglob("*")) if not path.is_symlink() and path.lstat().st_mode & 0o077
    ]


def attacked(place: Place, top: Path, lab: Path, *, users: bool = False) -> None:
    """Check that another account gets no access, in the normal state and with everything opened.

    In hosts with separate users, all accounts may read programs, as on a real machine.
    """
    assert place.stranger(top, lab, opened=False) == []
    open_up(place.home)
    assert place.stranger(top, lab, opened=True, users=users) == []


def require(name: str) -> None:
    engine(name).require(lambda _message, _fraction: None)


# In CI one cluster covers MySQL's servers, another one PostgreSQL's and those of Patroni.
@pytest.mark.parametrize(
    "kind",
    [pytest.param(item, marks=[pytest.mark.long] if item in ("mysql", "patroni") else []) for item in KINDS],
)
def test_a_running_deployment_is_private_to_its_owner(place: Place, kind: str) -> None:
    solution, software, more = KINDS[kind]
    require(software)
    del more
    up = place.run("up", solution, "--nodes", "3" if kind == "patroni" else "2", "--engine", software)
    assert up.returncode == 0, up.stderr
    assert up.stderr.count("now closed (mode 0700)") == 2, up.stderr
    playground, lab = place.cache / "playground", place.cache / "playground/lab"
    assert playground.stat().st_mode & 0o077 == place.cache.stat().st_mode & 0o077 == 0
    assert (playground / "keeper.sock").lstat().st_mode & 0o077 == 0
    attacked(place, playground, lab)
    for question in WITHOUT_PASSWORD[kind]:
        assert place.run("sql", "node1", question).stdout.strip() == "", question
    the_application_touches_no_file(lab / "node1/node", kind)
    # The owner keeps access without typing a password.
    assert place.run("sql", "node1", "SELECT 40 + 2").stdout == "42\n"
    prompt = place.run("sql", "node1", text="SELECT 40 + 2;\n")
    assert "42" in prompt.stdout, prompt.stderr
    status = place.run("status")
    assert status.returncode == 0 and "node2" in status.stdout
    # Only the application's password is shown to its owner, who connects with it from outside.
    login = json.loads(place.run("status", "--json").stdout)["login"]
    known = [item for item in secrets(lab) if item != login["password"]]
    assert known and login["password"] in up.stdout
    for result in (up, status, prompt):
        assert not any(item in result.stdout + result.stderr for item in known)
    intruder_with_password(place, login)
    assert f"a request of a process of user id {UID}" in (playground / "keeper.log").read_text()


def intruder_with_password(place: Place, login: dict[str, str]) -> None:
    """Check that another account, even with the password, gets no service at the ports on 127.0.0.1."""
    open_ = "import {}; {}.connect(**{!r}, connect_timeout=5)"
    dsn = parse_dsn(login["dsn"])
    account = {"host": "127.0.0.1", "user": dsn.user, "password": dsn.password}
    account["dbname" if dsn.driver == "postgres" else "database"] = dsn.database
    driver = "psycopg" if dsn.driver == "postgres" else "pymysql"
    for port in [address.port for address in dsn.addresses]:
        code = open_.format(driver, driver, {**account, "port": port})
        command = ordinary([sys.executable, "-c", code], place.home, place.home / "nothing")
        tried = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        assert tried.returncode != 0 and "OperationalError" in tried.stderr, tried.stderr
    log = (place.cache / "playground/keeper.log").read_text()
    assert f"refused: a program of user id {UID} connected" in log


@pytest.mark.parametrize(
    "kind",
    [pytest.param(cluster, marks=[pytest.mark.long] if cluster == "mha" else []) for cluster in CLUSTERS],
)
def test_a_clusters_hosts_are_private_to_their_owner(place: Place, kind: str) -> None:
    solution, software, nodes, settings = CLUSTERS[kind]
    require(software)
    more = [word for cluster in settings for word in ("--set", cluster)]
    up = place.run("up", solution, "--nodes", nodes, "--engine", software, *more)
    assert up.returncode == 0, up.stderr
    playground, lab = place.cache / "playground", place.cache / "playground/lab"
    hosts = {path.parent.name for path in lab.glob("*/node")}
    assert len(hosts) >= int(nodes), hosts
    attacked(place, playground, lab, users=kind in ("mha", "pacemaker"))
    family = {"mariadb-10.11": "mariadb", "mysql-9.7": "mysql", "postgres-18": "postgresql"}
    for question in WITHOUT_PASSWORD[family[software]]:
        assert place.run("sql", "node1", question).stdout.strip() == "", question
    if software == "mysql-9.7":
        the_application_touches_no_file(lab / "node1/node", "mysql")


WITHOUT_PASSWORD = {
    "postgresql": (
        "SELECT rolname FROM pg_authid WHERE rolcanlogin AND rolpassword NOT LIKE 'SCRAM-SHA-256$%'",
        "SELECT rolname FROM pg_authid WHERE rolcanlogin AND rolpassword IS NULL",
        "SELECT line_number FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'",
    ),
    "mariadb": (
        "SELECT User, Host FROM mysql.global_priv WHERE COALESCE(JSON_VALUE(Priv, "
        "'$.authentication_string'), '') = '' AND COALESCE(JSON_VALUE(Priv, '$.account_locked'), 0) = 0 "
        "AND COALESCE(JSON_VALUE(Priv, '$.is_role'), 0) = 0",
    ),
    "mysql": ("SELECT User, Host FROM mysql.user WHERE authentication_string = '' AND account_locked = 'N'",),
}
# Queries for log-ins without a password; no rows is right.
WITHOUT_PASSWORD["patroni"] = WITHOUT_PASSWORD["postgresql"]


def the_application_touches_no_file(node: Path, kind: str) -> None:
    """Check that the load's account cannot run programs, and cannot read or write files."""
    with short_path(node / "run") as run:
        if kind in ("postgresql", "patroni"):
            lines = [line.split(":") for line in (node / "secret/pgpass").read_text().splitlines()]
            (password,) = (line[4] for line in lines if line[3] == "app")
            with psycopg.connect(
                host=run, user="app", password=password, dbname="sbtest", autocommit=True
            ) as open_:
                for what in ("TO PROGRAM 'cat'", "TO '/tmp/x'"):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        open_.execute(f"COPY (SELECT 1) {what}")
            return
        match = re.search(r"app@'%' .*BY '(\w+)'", (node / "secret/accounts.sql").read_text())
        assert match is not None
        with (
            pymysql.connect(
                unix_socket=f"{run}/mysqld.sock", user="app", password=match[1], database="sbtest"
            ) as connection,
            connection.cursor() as cursor,
        ):
            for statement in (
                "SELECT 1 INTO OUTFILE '/run/node/files/x'",
                "LOAD DATA INFILE '/run/node/secret/accounts.sql' INTO TABLE sbtest1 (c)",
            ):
                # The account has no right to files (1045, 1227), or the server has none to grant (1290).
                with pytest.raises(pymysql.err.MySQLError) as refused:
                    cursor.execute(statement)
                assert refused.value.args[0] in (1045, 1227, 1290), refused.value


EXPERIMENT = """\
solutions: [{{solution: {solution}, name: tried, engine: {engine}, {more}}}]
faults: [{{fault: kill, restart_after: 1s}}]
"""


@pytest.mark.lasts(40)
@pytest.mark.timeout(900 * PATIENCE)
@pytest.mark.parametrize(
    "kind", ["mariadb", *(pytest.param(item, marks=pytest.mark.long) for item in ("postgresql", "mysql"))]
)
def test_a_running_trial_and_its_results_are_private_to_their_owner(place: Place, kind: str) -> None:
    solution, software, more = KINDS[kind]
    require(software)
    text = EXPERIMENT.format(solution=solution, engine=software, more=more)
    (place.home / "tiny.yaml").write_text(HEAD + text + GENTLE + timing(steady=6 * PATIENCE))
    running = subprocess.Popen(
        program("run", "tiny.yaml", "--out", "run"),
        cwd=place.home,
        env=place.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    place.running = running
    part = place.home / "run/trials/.0001.part"
    until(lambda: (part / "observed/hosts.csv").exists() or running.poll() is not None)
    assert running.poll() is None, running.communicate()[0]
    known = secrets(part / "lab")
    attacked(place, place.home / "run", part / "lab")
    seen = watched(running, known)
    output, _ = running.communicate(timeout=LIMIT)
    assert running.returncode == 0, output
    assert seen == []
    run = place.home / "run"
    leaking = [str(path) for path in run.rglob("*") if path.is_file() and leaks(path, known)]
    assert leaking == [] and not any(item in output for item in known)
    open_again = place.run("run", "tiny.yaml", "--out", "run", "--resume")
    assert open_again.returncode == 0 and "now closed" in open_again.stderr
    assert run.stat().st_mode & 0o077 == 0
    if kind == "postgresql":
        shared_on_purpose(place, run)


def shared_on_purpose(place: Place, run: Path) -> None:
    """Check that new files are private; `report --share` lets others read, and nothing more."""
    again = place.run("run", "tiny.yaml", "--out", "again")
    assert again.returncode == 0, again.stderr
    assert open_to_others(place.home / "again") == []
    shared = place.run("report", "again", "--share")
    assert shared.returncode == 0 and "may read" in shared.stderr
    others = subprocess.run(
        [
            "setpriv",
            f"--reuid={UID}",
            f"--regid={UID}",
            "--clear-groups",
            "head",
            "-c",
            "15",
            str(place.home / "again/report.html"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert others.stdout.lower().startswith("<!doctype html")
    assert not os.access(run, os.R_OK, effective_ids=True) or run.stat().st_mode & 0o077 == 0


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def watched(running: subprocess.Popen[str], known: list[str]) -> list[str]:
    """Return arguments of processes with a password in them, until the program ends."""
    findings = []
    while running.poll() is None:
        for process in psutil.process_iter(["cmdline"]):
            line = " ".join(process.info["cmdline"] or ())
            if any(secret in line for secret in known):
                findings.append(line[:80])
        time.sleep(0.1)
    return findings


def leaks(path: Path, known: list[str]) -> bool:
    data = path.read_bytes()
    return any(secret.encode() in data for secret in known)


def test_the_keeper_refuses_another_account_though_its_socket_were_open(tmp_path: Path) -> None:
    from fivenines.trial.manual.keeper import _refusal  # noqa: PLC0415

    tmp_path.chmod(0o755)
    del tmp_path
    with socket.socket(socket.AF_UNIX) as listener:
        home = Path(tempfile.mkdtemp(prefix="keeper-of-fivenines-"))
        home.chmod(0o755)
        listener.bind(str(home / "s"))
        (home / "s").chmod(0o777)
        listener.listen()
        knock = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect('{home}/s'); s.recv(1)"
        become = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"]
        for before, refused in (([], False), (become, True)):
            with subprocess.Popen([*before, "/usr/bin/python3", "-c", knock]) as other:
                connection, _ = listener.accept()
                with connection:
                    assert bool(_refusal(connection)) == refused
                other.wait(LIMIT)
        shutil.rmtree(home)
