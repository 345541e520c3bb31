"""Sends frames one way and says whether one arrives: `python reach.py PID FROM_MAC TO_MAC SECONDS`.

Runs beside the sending host. PID is the first process of the receiving one, whose network it enters for
its receiving socket. Frames of a type of their own need no address resolution, so nothing has to
come back. Exit code 0: one arrived; 1: none did.
"""

import ctypes
import os
import select
import socket
import sys
import time
from contextlib import suppress

_TYPE = 0x88B5
"""The first of the two types that IEEE 802 leaves to local experiments."""

_AGAIN = 0.02
_NEW_NETWORK = 0x40000000


def _socket_at(device: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_TYPE))
    made.bind((device, _TYPE))
    return made


def _enter_network(pid: int) -> None:
    with open(f"/proc/{pid}/ns/net") as namespace:  # noqa: PTH123  (pathlib is slow to load)
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), _NEW_NETWORK) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def reaches(pid: int, source: bytes, target: bytes, seconds: float) -> bool:
    """Whether a frame from the device eth0 here arrives at eth0 of the host with this first process."""
    sender = _socket_at("eth0")
    _enter_network(pid)
    receiver = _socket_at("eth0")
    mark = os.urandom(50)
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        with suppress(OSError):  # the device may be down
            sender.send(target + source + _TYPE.to_bytes(2, "big") + mark)
        if _heard(receiver, source, mark, min(left, _AGAIN)):
            return True
    return _heard(receiver, source, mark, 0)


def _heard(receiver: socket.socket, source: bytes, mark: bytes, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while select.select([receiver], [], [], max(0.0, deadline - time.monotonic()))[0]:
        with suppress(OSError):
            frame = receiver.recv(2048)
            if frame[6:12] == source and mark in frame:
                return True
    return False


if __name__ == "__main__":
    own, mac_from, mac_to, patience = sys.argv[1:]
    arrived = reaches(
        int(own),
        bytes.fromhex(mac_from.replace(":", "")),
        bytes.fromhex(mac_to.replace(":", "")),
        float(patience),
    )
    sys.exit(0 if arrived else 1)
