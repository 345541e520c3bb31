"""Everything as an ordinary user: pulling, deploying, killing, measuring; and nothing is left."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from lab_leftovers import RunTraces
from lab_ordinary import UID, hand_over, ordinary
from lab_support import GENTLE, HEAD, LIMIT, OPERATOR, PATIENCE, kill, timing

from fivenines.lab.vm import requirements as vm_requirements
from fivenines.lab.vm.requirements import PORTS
from fivenines.results import store
from fivenines.software.store import engine

pytestmark = pytest.mark.timeout(900 * PATIENCE)

_PAIR = f"""\
solutions:
  - {{solution: hot-standby, name: pair, synchronous_commit: remote_apply, manager: {OPERATOR},
     limits: {{memory: 1GiB}}}}
"""
_CLUSTER = """\
solutions:
  - {solution: galera, name: cluster, suspect_timeout: 3s, inactive_timeout: 6s,
     access: {kind: haproxy, interval: 500ms}}
"""


@dataclass
class Person:
    """Represent an ordinary user with a home folder and a cache."""

    home: Path

    @property
    def cache(self) -> Path:
        return self.home / "cache"

    def command(self, *arguments: str) -> list[str]:
        return ordinary([sys.executable, "-m", "fivenines", *arguments], self.home, self.cache)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def lend(self, *engines: str) -> None:
        """Copy engines that take long to pull; the user pulls the others."""
        for name in engines:
            software = engine(name)
            software.require(lambda _message, _fraction: None)
            folder = self.cache / "engines" / name
            if not folder.exists():
                shutil.copytree(software.folder, folder, symlinks=True)  # type: ignore[attr-defined]
        hand_over(self.home)


@pytest.fixture(scope="module")
def person() -> Iterator[Person]:
    """Provide a user whose home is open to its owner: the folders of pytest belong to root alone."""
    home = Path(tempfile.mkdtemp(prefix="home-of-fivenines-", dir="/var/tmp"))
    home.chmod(0o755)
    hand_over(home)
    yield Person(home)
    shutil.rmtree(home)


@pytest.mark.lasts(30)
@pytest.mark.parametrize(
    ("name", "solution"), [("pair", _PAIR), pytest.param("cluster", _CLUSTER, marks=pytest.mark.long)]
)
def test_an_ordinary_user_runs_an_experiment_with_failovers(person: Person, name: str, solution: str) -> None:
    made = RunTraces()
    if name == "cluster":
        person.lend("mariadb-10.11")
    (person.home / f"{name}.yaml").write_text(HEAD + solution + kill() + GENTLE + timing())
    ran = person.run("run", f"{name}.yaml", "--out", f"run-{name}")
    assert ran.returncode == 0, ran.stderr
    run = store.open_run(person.home / f"run-{name}")
    assert (run.manifest.machine.user, len(run.complete), run.missing) == ("ordinary", 1, [])
    assert {path.stat().st_uid for path in (person.home / f"run-{name}").rglob("*")} == {
        UID if os.geteuid() == 0 else os.geteuid()
    }
    for trial in run.complete:
        record = trial.record
        assert record.fault is not None and record.check is not None
        assert record.deployment is not None
        assert record.fault.verified and record.fault.rejoined, record.fault
        assert record.check.acknowledged > 0
        assert [node.lost for node in record.check.nodes] == [0] * len(record.check.nodes)
        if "apply" in run.manifest.machine.limits.split()[0:1]:
            assert record.deployment.limits == ""
        else:
            assert record.deployment.limits, "the record says why limits do not apply"
    seen = store.query(
        run.complete,
        "hosts",
        "SELECT min(written) AS least, min(sent) AS sent FROM (SELECT max(disk_written_bytes) AS written, "
        "max(net_sent_bytes) AS sent FROM rows WHERE host LIKE 'node%' GROUP BY trial, host)",
    )
    assert seen["least"][0] > 0 and seen["sent"][0] > 0, "processes of others' namespaces are seen"
    assert made.left(60.0) == []
    mount = {line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()}
    assert not [point for point in mount if str(person.home) in point]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_an_ordinary_users_run(person: Person, number: signal.Signals) -> None:
    made = RunTraces()
    text = HEAD + "solutions: [{solution: hot-standby}]\n" + GENTLE + timing(recovery=1, steady=60)
    (person.home / "long.yaml").write_text(text)
    out = f"run-{number.name}"
    running = subprocess.Popen(
        person.command("run", "long.yaml", "--out", out),
        cwd=person.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + LIMIT
    while not (person.home / out / "trials/.0001.part/observed/hosts.csv").exists():
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    made.note(running.pid)
    if os.geteuid() == 0:
        assert made.users() == {UID}
    psutil.Process(running.pid).send_signal(number)
    running.wait(LIMIT)
    assert made.left(60.0) == []


# Another test covers the running deployment from outside.
@pytest.mark.long
def test_an_ordinary_user_connects_to_a_running_deployment_from_outside(person: Person) -> None:
    up = person.run("up", "standalone")
    try:
        assert up.returncode == 0 and "psql " in up.stdout, up.stderr
        bench = person.run("bench", "--connections", "2", "--duration", "1s", "--json")
        assert bench.returncode == 0, bench.stderr
        assert json.loads(bench.stdout)["load"]["transactions"]["ok"] > 0
    finally:
        down = person.run("down")
    assert down.returncode == 0, down.stderr


@pytest.mark.lasts(40)
def test_an_ordinary_user_pulls_an_engine_and_runs_it(person: Person) -> None:
    shutil.rmtree(person.cache / "engines/mariadb-10.11", ignore_errors=True)
    pulled = person.run("engines", "pull", "mariadb-10.11")
    assert pulled.returncode == 0, pulled.stderr
    listed = person.run("engines", "list")
    (mariadb,) = [line for line in listed.stdout.splitlines() if "mariadb-10.11" in line]
    assert "yes" in mariadb, listed.stdout
    text = HEAD + "solutions: [{solution: standalone, engine: mariadb-10.11}]\n"
    (person.home / "alone.yaml").write_text(text + GENTLE + timing(recovery=1, steady=1))
    ran = person.run("run", "alone.yaml", "--out", "run-alone")
    assert ran.returncode == 0, ran.stderr


def test_doctor_finds_nothing_that_fails(person: Person) -> None:
    looked = person.run("doctor")
    assert looked.returncode == 0, looked.stdout + looked.stderr


# Open the device for network ports to all accounts, for one command and its children.
_OPEN = f"""
set -e
mknod "$1" c 10 200
chmod 666 "$1"
mount --bind "$1" {PORTS}
shift
exec "$@"
"""


# test_lab_vms covers virtual machines, as root or not.
@pytest.mark.long
def test_an_ordinary_user_has_virtual_machines_where_the_device_is_open(person: Person) -> None:
    if os.geteuid() != 0 and (lacking := vm_requirements.problem()):
        pytest.skip(lacking)
    person.lend("uml", "postgres-18")
    text = HEAD + (
        "solutions: [{solution: standalone, machines: virtual-machines}]\n"
        "load: {answer_timeout: 2s, connect_timeout: 1s}\n"
        "faults: [{fault: power-loss, restart_after: 1s}]\n"
    )
    (person.home / "virtual-machines.yaml").write_text(text + timing())
    command = person.command("run", "virtual-machines.yaml", "--out", "virtual machines")
    if os.geteuid() == 0:
        device = str(person.home / "tun")
        command = ["unshare", "--mount", "sh", "-c", _OPEN, "sh", device, *command]
    ran = subprocess.run(
        command,
        cwd=person.home,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode == 0, ran.stderr
    run = store.open_run(person.home / "virtual-machines")
    assert (run.manifest.machine.user, run.missing) == ("ordinary", [])
    (trial,) = run.complete
    assert trial.record.fault is not None and trial.record.fault.verified
    assert trial.record.check is not None and trial.record.check.acknowledged > 0
