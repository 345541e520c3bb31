"""Look out of a host: through its server, by a program started like the server, and from outside."""

import contextlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

import psutil

from fivenines.lab.host import Host
from fivenines.servers.base import Server

_BOUND = 1 << 20


@dataclass(frozen=True)
class Privileges:
    """Represent the privileges of a process, from /proc/PID/status."""

    effective: int
    bounding: int
    no_new: int
    filtered: int
    uid: int
    """The user id as the reader of the file sees it."""

    @staticmethod
    def read(status: str) -> "Privileges":
        """Parse the text of the file."""
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        every = ("CapInh", "CapPrm", "CapEff", "CapAmb")
        return Privileges(
            max(int(fields[name], 16) for name in every),
            int(fields["CapBnd"], 16),
            int(fields["NoNewPrivs"]),
            int(fields["Seccomp"]),
            int(fields["Uid"].split()[1]),
        )


def seen_by(server: Server, path: str | Path) -> str | None:
    """Read a file through the server's SQL; None if the server cannot read it.

    MariaDB reads nothing below /proc: its entries there are read from outside.
    """
    if server.engine.family == "mariadb" and str(path).startswith("/proc/self/"):
        assert server.process is not None
        return Path(str(path).replace("self", str(server.process.members()[0].pid))).read_text()
    ask = _by_postgres if server.driver == "postgres" else _by_mysql
    with contextlib.suppress(Exception):
        return ask(server, str(path))
    return None


def _by_postgres(server: Server, path: str) -> str:
    return str(server.sql.query(f"SELECT pg_read_file('{path}', 0, {_BOUND})")[0][0])


def _by_mysql(server: Server, path: str) -> str:
    table = f"{server.database}.seen"
    server.sql.execute(
        f"DROP TABLE IF EXISTS {table}",
        f"CREATE TABLE {table} (line TEXT)",
        f"LOAD DATA INFILE '{path}' INTO TABLE {table} FIELDS TERMINATED BY '' ESCAPED BY ''",
    )
    return "\n".join(str(line) for (line,) in server.sql.query(f"SELECT line FROM {table}"))


def programs_inside(host: Host) -> dict[str, set[Privileges]]:
    """Return command lines and privileges of a host's programs, except its first process."""
    own = Path(f"/proc/{host.pid}/ns/mnt").stat().st_ino
    programs: dict[str, set[Privileges]] = {}
    for process in host.processes.running():
        with contextlib.suppress(psutil.NoSuchProcess, OSError):
            # Programs outside the host see the machine's files.
            if Path(f"/proc/{process.pid}/ns/mnt").stat().st_ino == own:
                status = Path(f"/proc/{process.pid}/status").read_text()
                command_line = " ".join(process.cmdline()) or process.name()
                programs.setdefault(command_line, set()).add(Privileges.read(status))
    return programs


# A program that tries system calls (numbers of x86-64) and prints the result of each.
TRIES = """
import ctypes, errno, json, socket
call = ctypes.CDLL(None, use_errno=True).syscall
numbers = {"unshare": (272, 0x10000000), "ptrace": (101, 0, 0, 0, 0), "keyctl": (250, 0, -3, 0),
           "userfaultfd": (323, 1), "setns": (308, -1, 0), "mount": (165, 0, 0, 0, 0, 0),
           "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "clone3": (435, 0, 0), "newer": (600,),
           "open_tree": (428, -100, b"/", 1)}
found = {name: errno.errorcode.get(ctypes.get_errno(), "?") if call(*asked) < 0 else "done"
         for name, asked in numbers.items()}
def of(family):
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
found |= {name: of(family) for name, family in (("AF_VSOCK", 40), ("AF_UNIX", 1), ("AF_INET", 2))}
print(json.dumps(found))
"""


def tries(output: str) -> dict[str, str]:
    """Parse the output of `TRIES`: done, or the error."""
    results: dict[str, str] = json.loads(output)
    return results


# A program that prints a listener's greeting, or why it was not reached.
CONNECT = """
import socket, sys
def reach(family, address):
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)
        # PostgreSQL answers this question (may we encrypt?), others speak first
        client.sendall(bytes.fromhex("0000000804d2162f"))
        print(repr(client.recv(7)))
try:
    if sys.argv[1] == "abstract":
        reach(socket.AF_UNIX, chr(0) + sys.argv[2])
    else:
        reach(socket.AF_INET, (sys.argv[1], int(sys.argv[2])))
except OSError as error:
    print(error)
"""


def mounted(mountinfo: str) -> dict[str, tuple[str, set[str]]]:
    """Return the kind of file system and the mount options by mount point (proc(5))."""
    mounts = {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        mounts[fields[4]] = (after.split()[0], set(fields[5].split(",")))
    return mounts


# The mount points that a host may have.
HARMLESS = re.compile(
    r"/(?:usr|s?bin|lib\w*|proc(?:/\w[\w-]*)?|dev(?:/(?:null|zero|full|random|urandom|tty|shm))?"
    r"|etc/(?:ld\.so\.conf\.d|alternatives|ssl/certs|pki/\S+|crypto-policies)"
    r"|run(?:/node|/engine)?|tmp|(?:nix|gnu)/store)?"
)
