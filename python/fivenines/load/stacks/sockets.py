"""The connections of a program to servers, as the kernel lists them: /proc/PID/net/tcp, proc(5).

They show what a pool holds, and on which server, for programs in any language. A connection whose other end
is gone without a word stays established, as the program sees it.
"""

import socket
import struct
from collections import Counter
from contextlib import suppress
from pathlib import Path

from fivenines.lab.processes.tree import below

_ESTABLISHED = "01"


def connections(pid: int) -> dict[str, int] | None:
    """Return the number of established connections by the other end's address:port.

    Those of a process and of all processes below it count; None: the process has ended.
    """
    pids = [pid, *(one.pid for one in below(pid))]
    own = {inode for each in pids for inode in _sockets(each)}
    # The last process is the program itself; one before it may have started it in another network.
    listed = [fields for name in ("tcp", "tcp6") for fields in _lines(Path(f"/proc/{pids[-1]}/net/{name}"))]
    if not listed and not Path(f"/proc/{pid}").exists():
        return None
    return dict(Counter(_address(line[2]) for line in listed if line[3] == _ESTABLISHED and line[9] in own))


def _lines(file: Path) -> list[list[str]]:
    """Return the fields of each connection: number, local and remote address, state, ..., inode."""
    try:
        return [line.split() for line in file.read_text().splitlines()[1:]]
    except OSError:
        return []


def _sockets(pid: int) -> list[str]:
    """Return the inodes of a process's sockets."""
    found = []
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            # a descriptor may be closed at any time
            with suppress(OSError):
                target = str(entry.readlink())
                if target.startswith("socket:["):
                    found.append(target[8:-1])
    return found


def _address(text: str) -> str:
    """Return address:port of a hexadecimal pair; an IPv4 address that is mapped to IPv6 is shown as IPv4."""
    host, _, port = text.partition(":")
    words = bytes.fromhex(host)
    # The kernel prints each 32-bit word in the machine's byte order.
    raw = b"".join(struct.pack("!I", word) for word in struct.unpack(f"={len(words) // 4}I", words))
    if len(raw) == 16 and raw.startswith(b"\0" * 10 + b"\xff\xff"):
        raw = raw[12:]
    if len(raw) == 4:
        return f"{socket.inet_ntop(socket.AF_INET, raw)}:{int(port, 16)}"
    return f"[{socket.inet_ntop(socket.AF_INET6, raw)}]:{int(port, 16)}"
