"""Provide machines for tests of `lab: ssh`: hosts of a lab, each with a real sshd, and an inventory of
them.
"""

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab_support import GENTLE, LIMIT

from fivenines.lab.host import NODE, Host, Root
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.processes.enter import enter
from fivenines.lab.processes.process import Process, start_logged

PROGRAM = [sys.executable, "-m", "fivenines"]
EXPERIMENT = """\
name: over ssh
solutions:
  - {{solution: {solution}}}
workloads: [{{workload: oltp_read_write, table_size: 500, distribution: uniform}}]
connections: [2]
trials: 1
faults: [{{fault: {fault}}}]
timing: {{warmup: 500ms, steady: 2s, recovery: {recovery}, settle: 90s}}
""" + GENTLE.replace("{", "{{").replace("}", "}}")
# The device folder. A lab host lacks the one of a real machine: it is mounted below the host's own, which is
# removed.
_DEV = Path("/dev")

_SSHD = "/usr/sbin/sshd"
# The folder in which fivenines may write on these machines.
FOLDER = NODE / "data" / "fivenines"

# Clock offset of the first machine, in seconds; the second machine has twice as much.
_AHEAD = 5000

_PASSWD = """root:x:0:0:root:/tmp:/bin/sh
mysql:x:999:999:mysql:/nonexistent:/bin/false
sshd:x:105:65534::/run/sshd:/usr/sbin/nologin
admin:x:1000:1000:admin:/tmp:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/bin/false
"""

# Makes sudo work, which it does not on a lab host: its files are mounted without set-user-ID.
_SUDO = """mount --options remount,bind,rw /
mkdir -p /etc/pam.d /run/sudo && mount -t tmpfs -o mode=755 sudo /run/sudo
cp /usr/bin/sudo /run/sudo/sudo && chmod 4755 /run/sudo/sudo && mount --bind /run/sudo/sudo /usr/bin/sudo
echo 'root ALL=(ALL) ALL\nadmin ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers && chmod 440 /etc/sudoers
for each in auth account session; do echo "$each required pam_permit.so"; done > /etc/pam.d/sudo
"""

_CONFIGURATION = f"""Port 22
Port 2222
Banner {NODE}/conf/banner
HostKey {NODE}/conf/host_key
AuthorizedKeysFile {NODE}/conf/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PidFile none
MaxStartups 200
MaxSessions 200
Subsystem sftp internal-sftp
"""


class DataCentre(NamespaceLab):
    """Run a lab whose hosts are machines with SSH log-ins."""

    def __init__(self, folder: Path, roles: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__(folder / "lab", all_ids=True)
        self.place = folder
        self.servers: dict[str, Process] = {}
        self.key = folder / "key"
        keygen(self.key)
        self.roles = roles
        for name in roles:
            self.equip(self.add_host(name, Root(show=(_DEV,))))
        self.inventory = self._inventory()

    def equip(self, host: Host) -> None:
        """Install a machine's keys and start its sshd."""
        conf = host.node / "conf"
        keygen(conf / "host_key")
        (conf / "authorized_keys").write_text(self.key.with_suffix(".pub").read_text())
        (conf / "banner").write_text("Authorised use only.\n")
        (conf / "sshd_config").write_text(_CONFIGURATION)
        (conf / "passwd").write_text(_PASSWD)
        self.privileged(
            host,
            f"umount --recursive {_DEV} && mkdir -p /run/sshd && mount -t proc proc /proc && "
            "mount --bind /run/node/conf/passwd /etc/passwd",
        )
        self.start_sshd(host)

    def _daemon(self, host: Host) -> list[str]:
        """Return the command of the machine's sshd, whose CLOCK_MONOTONIC is far from the controller's."""
        ahead = str(_AHEAD * (1 + list(self.roles).index(host.name)))
        own_time = ["unshare", "--time", f"--monotonic={ahead}", f"--boottime={ahead}", "--fork"]
        return [*own_time, "--kill-child", _SSHD, "-D", "-e", "-f", f"{NODE}/conf/sshd_config"]

    def allow_sudo(self) -> None:
        """Allow the account `admin` to become root by sudo, without a password."""
        for host in self.hosts.values():
            self.privileged(host, _SUDO)

    def start_sshd(self, host: Host) -> None:
        """Start the machine's sshd."""
        command = [*self._into(host), *self._daemon(host)]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
        log = host.node / "log" / "sshd.log"
        self.servers[host.name] = Process(start_logged(command, log, env=environment), log)
        deadline = time.monotonic() + LIMIT
        while "listening" not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)

    def _power(self, host: Host, key: str) -> Path:
        """Write a program that switches a machine off or on; its first process stays, for the test."""
        into = shlex.join(enter(host.pid, "user", "mnt", "net", "pid"))
        daemon = f"setsid {into} {shlex.join(self._daemon(host))} </dev/null >/dev/null 2>&1 &"
        script = f"{into} sh -c 'kill -9 -1'; exit 0" if key == "off" else daemon
        file = self.place / f"power-{key}-{host.name}"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def privileged(self, host: Host, script: str) -> str:
        """Run a script on a machine as root."""
        done = subprocess.run(
            [*self._into(host), "sh", "-c", script], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def outside(self, *command: str) -> list[str]:
        """Return the command line of a program in the machines' network."""
        return [*enter(self.pid, "user", "net"), *command]

    @staticmethod
    def _into(host: Host) -> list[str]:
        return enter(host.pid, "user", "mnt", "net", "pid")

    def _inventory(self) -> Path:
        known = self.place / "known_hosts"
        lines, hosts = [], []
        for name, role in self.roles.items():
            host = self.hosts[name]
            public = (host.node / "conf" / "host_key.pub").read_text().split()
            lines.append(f"{host.address} {public[0]} {public[1]}")
            options = "".join(f", {key}: {value}" for key, value in role.items())
            for key in ("off", "on"):
                options += f", power_{key}: {self._power(host, key)}"
            hosts.append(f"  {name}: {{address: {host.address}{options}}}")
        known.write_text("\n".join(lines) + "\n")
        file = self.place / "hosts.yaml"
        file.write_text(
            f"user: root\nkey: key\nknown_hosts: known_hosts\nfolder: {FOLDER}\nhosts:\n"
            + "\n".join(hosts)
            + "\n"
        )
        return file


def keygen(file: Path) -> None:
    """Make a key pair without a passphrase."""
    file.unlink(missing_ok=True)
    program = shutil.which("ssh-keygen")
    assert program, "install openssh-client"
    subprocess.run([program, "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)


def roles(nodes: int, clients: int = 1, others: int = 0) -> dict[str, dict[str, str]]:
    """Name machines for each purpose, and return their roles."""
    kinds: Sequence[tuple[str, int]] = (("node", nodes), ("client", clients), ("other", others))
    return {f"{kind}-{n}": {"role": kind} for kind, count in kinds for n in range(1, count + 1)}


def run(centre: DataCentre, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        centre.outside(*PROGRAM, *words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


def experiment(folder: Path, solution: str, fault: str = "none", recovery: str = "10s") -> Path:
    file = folder / "experiment.yaml"
    text = EXPERIMENT.format(solution=solution, fault=fault, recovery=recovery)
    file.write_text(text)
    return file


def record(folder: Path) -> dict[str, Any]:
    (file,) = (folder / "trials").glob("*/trial.json")
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def left(centre: DataCentre, *names: str) -> list[str]:
    """Return the leftovers of trials on machines: hosts' folders, processes, nftables tables."""
    leftovers = []
    for name in names or centre.roles:
        host = centre.hosts[name]
        script = (
            f"ls {FOLDER}/hosts 2>/dev/null; nft list tables; ps -eww -oargs | grep '[/]fivenines/core/'; "
            "ip rule | grep fwmark; ip -oneline link | grep fivenines"
        )
        leftovers += centre.privileged(host, f"{script}; true").splitlines()
    return leftovers
