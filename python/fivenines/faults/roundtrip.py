"""How long a packet and its answer take: `python roundtrip.py ADDRESS` prints milliseconds.

Runs beside the asking host. Connects to a port where nobody listens: the refusal comes from the kernel at
once, so that no server has a part in it. The median of several; nothing is printed if none was answered.
"""

import socket
import sys
import time

_PORT = 9
_TIMES = 5
_PATIENCE = 5.0


def round_trip(address: str) -> float | None:
    """The median round trip in ms; None if there was no answer."""
    found = sorted(one for _ in range(_TIMES) if (one := _once(address)) is not None)
    return found[len(found) // 2] if found else None


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
