"""Nobody gets in: all that another account of the machine can try on a playground and on a trial that runs.

Twice each: as everything stands, where the folders keep it out; and with all folders and sockets opened to
everybody on purpose, where the passwords and the keeper's own question must do so alone.
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
from lab_support import GENTLE, HEAD, OPERATOR, program, timing

from fivenines.lab.network import PREFIX
from fivenines.load.dsn import parse_dsn
from fivenines.paths import cache as own_cache
from fivenines.paths import short_path
from fivenines.servers.secrets import FOLDER
from fivenines.software.store import engine

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0,
    reason="only root can be another account for a moment; NOT TRIED: to get into playgrounds and running "
    "trials of any engine, cluster and manager as somebody else",
)

PORTS = (22, 2222, 2379, 2380, 3306, 3307, 5432, 6446, 8008, 9200, 33060, 33061)
SECRET = re.compile(r"\b[0-9a-f]{32}\b")
KINDS = {
    "postgresql": ("hot-standby", "postgres-18", f"manager: {OPERATOR}"),
    "mariadb": ("replication", "mariadb-10.11", "replicas: 1, access: {kind: haproxy, interval: 1s}"),
    "mysql": ("replication", "mysql-9.7", f"replicas: 1, manager: {OPERATOR}"),
    "patroni": ("patroni", "postgres-18", ""),
}
CLUSTERS = {
    "galera": ("galera", "mariadb-10.11", "2", ("arbiter=true", "access=haproxy")),
    "innodb-cluster": ("innodb-cluster", "mysql-9.7", "3", ()),
    "mha": ("replication", "mariadb-10.11", "3", ("manager=mha",)),
    "pacemaker": ("replication", "mariadb-10.11", "3", ("manager=pacemaker", "mode=after_sync")),
}
"""With hosts, sockets and ports that the others have not: their number of nodes, their settings."""


@dataclass
class Place:
    """A home that others may enter, with an own cache that an older version has left open."""

    home: Path
    running: "subprocess.Popen[str] | None" = None
    """The program that was started last and left alone."""

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
            timeout=300,
            check=False,
            input=text,
        )

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "FIVENINES_CACHE": str(self.cache), "COLUMNS": "200"}

    def stranger(self, top: Path, lab: Path, *, opened: bool, users: bool = False) -> list[str]:
        """What worked of all that another account tried."""
        asked = {
            "folders": [str(top)],
            "secrets": secrets(lab),
            "processes": processes(lab),
            "ports": [(f"{PREFIX}.{number}", port) for number in (11, 12) for port in PORTS],
            "expect_sockets": opened,
            "users": users and opened,
        }
        assert asked["secrets"] and asked["processes"], "there is something to be kept secret"
        script = self.home / "lab_stranger.py"
        command = ordinary([sys.executable, str(script)], self.home, self.home / "nothing")
        done = subprocess.run(
            command, input=json.dumps(asked), capture_output=True, text=True, timeout=300, check=False
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
    shutil.copy(Path(__file__).with_name("lab_stranger.py"), home)
    (home / "lab_stranger.py").chmod(0o644)
    yield found
    found.run("down")
    if found.running is not None and found.running.poll() is None:
        found.running.kill()
        found.running.wait()
    shutil.rmtree(home, ignore_errors=True)


def secrets(lab: Path) -> list[str]:
    """The passwords of a lab, which its owner can read."""
    files = [path for path in lab.glob(f"*/node/{FOLDER}/*") if path.suffix != ".pem"]
    return sorted({one for path in files for one in SECRET.findall(path.read_text(errors="replace"))})


def processes(lab: Path) -> list[int]:
    """PIDs of all processes that carry the lab's folder in their arguments, and of all below them."""
    first = [
        one
        for one in psutil.process_iter(["cmdline"])
        if any(str(lab) in word for word in one.info["cmdline"] or ())
    ]
    found = {one.pid for one in first}
    for one in first:
        try:
            found |= {child.pid for child in one.children(recursive=True)}
        except psutil.NoSuchProcess:
            continue
    return sorted(found)


def _below(top: Path) -> Iterator[Path]:
    """All below a folder and itself; quick, as a trial that runs does not wait."""
    yield top
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            yield Path(folder, name)


def open_up(top: Path) -> None:
    """Open every folder and every socket to everybody, as an owner might by mistake."""
    for path in _below(top):
        try:
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) and not path.is_symlink():
                path.chmod(0o755)
            elif stat.S_ISSOCK(mode) and path.name != "haproxy.sock":
                # HAProxy's has no account behind it: its own mode is the second layer there
                path.chmod(0o777)
        except OSError:
            continue


def open_to_others(top: Path) -> list[str]:
    """All below a folder that somebody else could read, by its mode."""
    return [
        str(path) for path in (top, *top.rglob("*")) if not path.is_symlink() and path.lstat().st_mode & 0o077
    ]


def attacked(place: Place, top: Path, lab: Path, *, users: bool = False) -> None:
    """Another account gets nowhere, as things stand and with everything opened.

    In hosts with `users` of their own, programs are everybody's to read, as on a real machine.
    """
    assert place.stranger(top, lab, opened=False) == []
    open_up(place.home)
    assert place.stranger(top, lab, opened=True, users=users) == []


def require(name: str) -> None:
    engine(name).require(lambda _message, _fraction: None)


# in CI the servers of a cluster stand for MySQL's, and PostgreSQL's for those of Patroni
@pytest.mark.parametrize(
    "kind",
    [pytest.param(one, marks=[pytest.mark.long] if one in ("mysql", "patroni") else []) for one in KINDS],
)
def test_a_playground_is_its_owners_alone(place: Place, kind: str) -> None:
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
    # the owner goes in and out as ever, without typing a password
    assert place.run("sql", "node1", "SELECT 40 + 2").stdout == "42\n"
    prompt = place.run("sql", "node1", text="SELECT 40 + 2;\n")
    assert "42" in prompt.stdout, prompt.stderr
    status = place.run("status")
    assert status.returncode == 0 and "node2" in status.stdout
    # the application's is shown to its owner, who connects with it from outside; no other is
    login = json.loads(place.run("status", "--json").stdout)["login"]
    known = [one for one in secrets(lab) if one != login["password"]]
    assert known and login["password"] in up.stdout
    for told in (up, status, prompt):
        assert not any(one in told.stdout + told.stderr for one in known)
    known_to_a_stranger(place, login)
    assert f"user id {UID} asked" in (playground / "keeper.log").read_text()


def known_to_a_stranger(place: Place, login: dict[str, str]) -> None:
    """Another account reaches the ports on 127.0.0.1, and even with the password is served by nobody."""
    open_ = "import {}; {}.connect(**{!r}, connect_timeout=5)"
    dsn = parse_dsn(login["dsn"])
    account = {"host": "127.0.0.1", "user": dsn.user, "password": dsn.password}
    account["dbname" if dsn.driver == "postgres" else "database"] = dsn.database
    driver = "psycopg" if dsn.driver == "postgres" else "pymysql"
    for port in [address.port for address in dsn.addresses]:
        code = open_.format(driver, driver, {**account, "port": port})
        command = ordinary([sys.executable, "-c", code], place.home, place.home / "nothing")
        tried = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert tried.returncode != 0 and "OperationalError" in tried.stderr, tried.stderr
    said = (place.cache / "playground/keeper.log").read_text()
    assert f"refused: a program of user id {UID} connected" in said


@pytest.mark.parametrize(
    "kind", [pytest.param(one, marks=[pytest.mark.long] if one == "mha" else []) for one in CLUSTERS]
)
def test_a_clusters_hosts_are_their_owners_alone(place: Place, kind: str) -> None:
    solution, software, nodes, settings = CLUSTERS[kind]
    require(software)
    more = [word for one in settings for word in ("--set", one)]
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
WITHOUT_PASSWORD["patroni"] = WITHOUT_PASSWORD["postgresql"]
"""Questions for what lets somebody in without a password; no rows is right."""


def the_application_touches_no_file(node: Path, kind: str) -> None:
    """Whoever knows the load's password still runs no program, and neither reads nor writes files."""
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
        found = re.search(r"app@'%' .*BY '(\w+)'", (node / "secret/accounts.sql").read_text())
        assert found is not None
        with (
            pymysql.connect(
                unix_socket=f"{run}/mysqld.sock", user="app", password=found[1], database="sbtest"
            ) as connection,
            connection.cursor() as cursor,
        ):
            for statement in (
                "SELECT 1 INTO OUTFILE '/run/node/files/x'",
                "LOAD DATA INFILE '/run/node/secret/accounts.sql' INTO TABLE sbtest1 (c)",
            ):
                # no right to files (1045, 1227), or the server has none to give (1290)
                with pytest.raises(pymysql.err.MySQLError) as refused:
                    cursor.execute(statement)
                assert refused.value.args[0] in (1045, 1227, 1290), refused.value


EXPERIMENT = """\
solutions: [{{solution: {solution}, name: tried, engine: {engine}, {more}}}]
faults: [{{fault: kill, restart_after: 1s}}]
"""


@pytest.mark.lasts(40)
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "kind", ["mariadb", *(pytest.param(one, marks=pytest.mark.long) for one in ("postgresql", "mysql"))]
)
def test_a_running_trial_and_its_results_are_their_owners_alone(place: Place, kind: str) -> None:
    solution, software, more = KINDS[kind]
    require(software)
    text = EXPERIMENT.format(solution=solution, engine=software, more=more)
    (place.home / "tiny.yaml").write_text(HEAD + text + GENTLE + timing(steady=6))
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
    said, _ = running.communicate(timeout=300)
    assert running.returncode == 0, said
    assert seen == []
    run = place.home / "run"
    leaking = [str(path) for path in run.rglob("*") if path.is_file() and leaks(path, known)]
    assert leaking == [] and not any(one in said for one in known)
    open_again = place.run("run", "tiny.yaml", "--out", "run", "--resume")
    assert open_again.returncode == 0 and "now closed" in open_again.stderr
    assert run.stat().st_mode & 0o077 == 0
    if kind == "postgresql":
        shared_on_purpose(place, run)


def shared_on_purpose(place: Place, run: Path) -> None:
    """What is made anew is closed; `report --share` lets others read, and nothing more."""
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
    deadline = time.monotonic() + 200
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def watched(running: subprocess.Popen[str], known: list[str]) -> list[str]:
    """Arguments of processes with a password in them, until the program ends."""
    found = []
    while running.poll() is None:
        for one in psutil.process_iter(["cmdline"]):
            line = " ".join(one.info["cmdline"] or ())
            if any(secret in line for secret in known):
                found.append(line[:80])
        time.sleep(0.1)
    return found


def leaks(path: Path, known: list[str]) -> bool:
    data = path.read_bytes()
    return any(one.encode() in data for one in known)


def test_the_keeper_refuses_another_account_though_its_socket_were_open(tmp_path: Path) -> None:
    from fivenines.playground.keeper import _refusal  # noqa: PLC0415

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
                other.wait(60)
        shutil.rmtree(home)
