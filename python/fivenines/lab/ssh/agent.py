"""Send requests to the agent of a host over its forwarded socket; see `crates/lab/src/agent`."""

import json
import socket
import struct
import time
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path

_HEAD = struct.Struct(">cI")
_PATIENCE = 10.0


def ask(at: Path, question: Any) -> str:
    """Send a request that is not a command and return the answer.

    Raises:
        FiveninesError: the agent does not answer, or the request failed; the message gives the reason.
    """
    try:
        with _connected(at) as stream:
            _send(stream, question)
            return _answer(stream)
    except OSError as error:
        raise FiveninesError(f"the host does not answer: {error}") from error


def clocks(at: Path, times: int) -> list[tuple[int, int, int, int]]:
    """Read the host's clocks several times.

    Each reading has our CLOCK_MONOTONIC before and after, the host's wall clock, and the host's
    CLOCK_MONOTONIC; all in nanoseconds.

    Raises:
        FiveninesError: the agent does not answer.
    """
    readings = []
    try:
        with _connected(at) as stream:
            for _ in range(times):
                before = time.monotonic_ns()
                _send(stream, "clock")
                answer = _answer(stream)
                after = time.monotonic_ns()
                day, monotonic = map(int, answer.split())
                readings.append((before, after, day, monotonic))
    except OSError as error:
        raise FiveninesError(f"the host does not answer: {error}") from error
    return readings


def way_to(at: Path, address: str, timeout: float) -> socket.socket:
    """Open a connection from the host to host:port; it ends at once if no server listens there.

    Raises:
        OSError: the agent does not answer.
    """
    stream = _connected(at)
    stream.settimeout(timeout)
    _send(stream, {"connect_to": address})
    return stream


def _connected(at: Path) -> socket.socket:
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.settimeout(_PATIENCE)
    try:
        with short_path(at.parent) as folder:
            stream.connect(f"{folder}/{at.name}")
    except BaseException:
        stream.close()
        raise
    return stream


def _send(stream: socket.socket, question: Any) -> None:
    data = json.dumps(question).encode()
    stream.sendall(_HEAD.pack(b"Q", len(data)) + data)


def _answer(stream: socket.socket) -> str:
    kind, size = _HEAD.unpack(_exactly(stream, _HEAD.size))
    text = _exactly(stream, size).decode(errors="replace")
    if kind != b"Y":
        raise FiveninesError(text)
    return text


def _exactly(stream: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        if not (piece := stream.recv(size - len(data))):
            raise FiveninesError("the host closed the connection")
        data += piece
    return bytes(data)
