"""The link emulator `fivenines-core wan`: a process beside the lab, told what to do over a unix socket."""

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab.enter import enter
from fivenines.lab.process import end_within, start_logged, tail
from fivenines.lab.settings import LinkSettings

SEED = 1
"""Of loss, jitter and reordering: alike in all labs, so that only the load's seed differs."""

_PATIENCE = 10.0

_LARGE_FRAMES_FROM = 500_000_000
"""At this bandwidth a large frame takes a millisecond, and single ones cost a processor."""


@dataclass(frozen=True)
class Traffic:
    """What became of the frames of one direction so far; bytes of whole frames that arrived."""

    frames: int
    bytes: int
    dropped_queue: int
    dropped_loss: int


def takes_large_frames(links: Sequence[LinkSettings]) -> bool:
    """Whether these links may be given large frames, which the kernel has not cut into segments yet.

    They save most of the work, but on a slow link each is a burst, and a lost one loses many.
    """
    return all(
        not link.loss
        and not link.reorder
        and (link.bandwidth is None or link.bandwidth >= _LARGE_FRAMES_FROM)
        for link in links
    )


def link_asked(link: LinkSettings) -> dict[str, Any]:
    """One direction of a link in the words of `crates/lab/src/wan/spec.rs`."""
    return {
        "latency_us": round(link.rtt * 1e6 / 2),
        "jitter_us": round(link.jitter * 1e6),
        "bandwidth": link.bandwidth,
        "loss": link.loss,
        "reorder": link.reorder,
        "queue_us": None if link.queue is None else round(link.queue * 1e6),
    }


class EmulatorProcess:
    """A running link emulator, which is asked over a socket and ends with it.

    Args:
        log: where it writes what it has to say.
        start: starts it with this end of the socket.
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
        """Make sure that it works.

        Raises:
            FiveninesError: it has ended, or does not answer.
        """
        self._ask({"do": "stats"})

    def end(self) -> None:
        """Stop it; frames under way are lost."""
        self._answers.close()
        self._socket.close()
        end_within(self._popen, _PATIENCE)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:  # an observer asks while a fault changes the link
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
        words = " ".join(tail(self._log, 3).split())
        return FiveninesError(f"the link emulator fails: {words or reason}")


class Emulator(EmulatorProcess):
    """One whose ports are these devices of a lab, and which ends with it."""

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
        """Change the link from one port to another; in force on return, for frames that come from now on."""
        self._ask({"do": "set", "from": source, "to": target, "link": link_asked(link)})

    def traffic(self) -> dict[tuple[str, str], Traffic]:
        """What became of the frames so far, by the ports that they came from and went to.

        Frames that found no room at a port count as dropped by the queue. Those that came faster than the
        emulator took them were not read, so their target is not known: the first link of their
        port counts them.
        """
        told = self._ask({"do": "stats"})
        unread = {one["port"]: one["overrun"] for one in told["ports"]}
        return {
            (one["from"], one["to"]): Traffic(
                one["frames"],
                one["bytes"],
                one["dropped_queue"] + one["dropped_port"] + unread.pop(one["from"], 0),
                one["dropped_loss"],
            )
            for one in told["links"]
        }
