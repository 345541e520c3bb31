"""Check whether a frame arrives: `python reachability.py DEVICE FRAME SECONDS`, in the receiver's network.

Meanwhile another process sends the frame repeatedly (`HostPort.knocking`). The frames have a separate
EtherType and need no address resolution, so no reply is needed. Exit code 0: a frame arrived; 1: no frame
arrived.
"""

import os
import select
import socket
import sys
import time
from contextlib import suppress

# The first of the two EtherTypes that IEEE 802 reserves for local experiments.
_TYPE = 0x88B5

# ETH_P_ALL includes outgoing frames: a port to a virtual machine sends the frames that reach the machine.
_ANYTHING = 0x0003


def frame(source: str, target: str) -> bytes:
    """Return a unique frame from one MAC address to another."""
    addresses = bytes.fromhex((target + source).replace(":", ""))
    return addresses + _TYPE.to_bytes(2, "big") + os.urandom(50)


def hears(device: str, expected: bytes, seconds: float) -> bool:
    """Return whether a frame passes a device here within `seconds`."""
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ANYTHING))
    listener.bind((device, _ANYTHING))
    deadline = time.monotonic() + seconds
    while select.select([listener], [], [], max(0.0, deadline - time.monotonic()))[0]:
        with suppress(OSError):  # The device can be down.
            if listener.recv(2048)[: len(expected)] == expected:
                return True
    return False


if __name__ == "__main__":
    at, text, patience = sys.argv[1:]
    sys.exit(0 if hears(at, bytes.fromhex(text), float(patience)) else 1)
