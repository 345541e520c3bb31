"""Control the link emulator `fivenines-core wan`, a process outside the lab's hosts, over a unix socket."""

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.enter import enter
from fivenines.lab.processes.process import end_within, start_logged, tail
from fivenines.lab.settings import LinkSettings

# Seed of loss, jitter and reordering. It is the same in all labs, so that only the load's seed differs.
SEED = 1

_PATIENCE = 10.0

# At this bandwidth in bit/s a large frame takes 1 ms, and emulating single frames would occupy a CPU.
_LARGE_FRAMES_FROM = 500_000_000


@dataclass(frozen=True)
class Traffic:
    """Counts of frames in one direction; `bytes` counts whole frames that arrived."""

    frames: int
    bytes: int
    dropped_queue: int
    dropped_loss: int


def takes_large_frames(links: Sequence[LinkSettings]) -> bool:
    """Return whether these links can carry large frames that the kernel has not segmented yet.

    Large frames save most of the work. But on a slow link each is a burst, and one loss loses many packets.
    """
    return all(
        not link.loss
        and not link.reorder
        and (link.bandwidth is None or link.bandwidth >= _LARGE_FRAMES_FROM)
        for link in links
    )


def link_asked(link: LinkSettings) -> dict[str, Any]:
    """Return one direction of a link in the format of `crates/lab/src/wan/spec.rs`."""
    return {
        "latency_us": round(link.rtt * 1e6 / 2),
        "jitter_us": round(link.jitter * 1e6),
        "bandwidth": link.bandwidth,
        "loss": link.loss,
        "reorder": link.reorder,
        "queue_us": None if link.queue is None else round(link.queue * 1e6),
    }


class EmulatorProcess:
    """A running link emulator, which is controlled over a socket and ends with it.

    Args:
        log: log file of the emulator.
        start: starts the emulator with this end of the socket.
    """

    def __init__(self, log: Path, start: "Callable[[socket.socket], subprocess.Popen[bytes]]") -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._log = log
        self._lock = threading.Lock()
        self._socket = ours
        self._answers = ours.makefile("r")
        ours.settimeout(_PATIENCE)
        with theirs:
            self._popen = start(theirs)
        self._answer()

    def require(self) -> None:
        """Check that the emulator works.

        Raises:
            FiveninesError: the emulator has ended or does not answer.
        """
        self._ask({"do": "stats"})

    def end(self) -> None:
        """Stop the emulator; frames in flight are lost."""
        self._answers.close()
        self._socket.close()
        end_within(self._popen, _PATIENCE)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:  # An observer can read counts while a fault changes the link.
            try:
                self._socket.sendall(json.dumps(request).encode() + b"\n")
            except OSError as error:
                raise self._failure(str(error)) from error
            return self._answer()

    def _answer(self) -> dict[str, Any]:
        try:
            line = self._answers.readline()
        except OSError as error:
            raise self._failure(str(error)) from error
        if not line:
            raise self._failure("it has ended")
        answer: dict[str, Any] = json.loads(line)
        if not answer["ok"]:
            raise self._failure(str(answer["error"]))
        return answer

    def _failure(self, reason: str) -> FiveninesError:
        output = " ".join(tail(self._log, 3).split())
        return FiveninesError(f"the link emulator failed: {output or reason}")


class Emulator(EmulatorProcess):
    """A link emulator whose ports are devices of a lab, and which ends with the lab."""

    def __init__(self, lab: int, ports: Sequence[str], log: Path) -> None:
        def start(theirs: socket.socket) -> "subprocess.Popen[bytes]":
            command = [
                *enter(lab, "user", "net", "pid"),
                str(core_binary()),
                "wan",
                "--control-fd",
                str(theirs.fileno()),
                "--seed",
                str(SEED),
                *(word for port in ports for word in ("--port", port)),
            ]
            return start_logged(command, log, pass_fds=(theirs.fileno(),))

        super().__init__(log, start)

    def set(self, source: str, target: str, link: LinkSettings) -> None:
        """Change the link from one port to another; on return it applies to all new frames."""
        self._ask({"do": "set", "from": source, "to": target, "link": link_asked(link)})

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        """Return the counts of frames by source and destination port.

        Frames that did not fit into a port's queue count as dropped by the queue. Frames that arrived faster
        than the emulator could read have no known destination; the first link of their port counts them.
        """
        stats = self._ask({"do": "stats"})
        unread = {port["port"]: port["overrun"] for port in stats["ports"]}
        return {
            (link["from"], link["to"]): Traffic(
                link["frames"],
                link["bytes"],
                link["dropped_queue"] + link["dropped_port"] + unread.pop(link["from"], 0),
                link["dropped_loss"],
            )
            for link in stats["links"]
        }
