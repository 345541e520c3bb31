"""Says whether a frame arrives: `python reach.py DEVICE FRAME SECONDS`, in the network of whoever listens.

Another sends the frame meanwhile (`Host.knocking`). Frames of a type of their own need no address resolution,
so nothing has to come back. Exit code 0: one arrived; 1: none did.
"""

import os
import select
import socket
import sys
import time
from contextlib import suppress

_TYPE = 0x88B5
"""The first of the two types that IEEE 802 leaves to local experiments."""

_ANYTHING = 0x0003
"""ETH_P_ALL: also what leaves by a device, as a port to a virtual machine does not receive what it hands over."""


def frame(source: str, target: str) -> bytes:
    """A frame from one MAC address to another, unlike any before it."""
    addresses = bytes.fromhex((target + source).replace(":", ""))
    return addresses + _TYPE.to_bytes(2, "big") + os.urandom(50)


def hears(device: str, wanted: bytes, seconds: float) -> bool:
    """Whether a frame passes a device here within this time."""
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ANYTHING))
    listener.bind((device, _ANYTHING))
    deadline = time.monotonic() + seconds
    while select.select([listener], [], [], max(0.0, deadline - time.monotonic()))[0]:
        with suppress(OSError):  # the device may be down
            if listener.recv(2048)[: len(wanted)] == wanted:
                return True
    return False


if __name__ == "__main__":
    at, text, patience = sys.argv[1:]
    sys.exit(0 if hears(at, bytes.fromhex(text), float(patience)) else 1)
