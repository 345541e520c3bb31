"""Measure the round trip to a host: `python roundtrip.py ADDRESS` prints milliseconds.

Runs in the network namespace of the source host and connects to a port where no process listens. The kernel
refuses the connection at once, so no server is involved. Prints the median of several attempts, or nothing
if no attempt was answered.
"""

import socket
import sys
import time

_PORT = 9
_TIMES = 5
_PATIENCE = 5.0


def round_trip(address: str) -> float | None:
    """Return the median round trip in ms; None if there was no answer."""
    times = sorted(time for _ in range(_TIMES) if (time := _once(address)) is not None)
    return times[len(times) // 2] if times else None


def _once(address: str) -> float | None:
    begun = time.monotonic()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking:
        asking.settimeout(_PATIENCE)
        try:
            asking.connect((address, _PORT))
        except ConnectionRefusedError:
            pass
        except OSError:
            return None
    return (time.monotonic() - begun) * 1000


if __name__ == "__main__":
    measured = round_trip(sys.argv[1])
    if measured is not None:
        sys.stdout.write(f"{measured:.3f}\n")
