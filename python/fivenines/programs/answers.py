"""Whether somebody answers at a port: `python -m fivenines.programs.answers ADDRESS PORT [PATH]`.

Run with the network of a host of the lab. Without a path a connection is enough; with one, HTTP's 200. Exit
code 0, or 1 with the reason in a line.
"""

import http.client
import socket
import sys

_PATIENCE = 2.0


def reason(address: str, port: int, path: str = "") -> str:
    """Why nobody does; empty if somebody answers."""
    try:
        if not path:
            with socket.create_connection((address, port), _PATIENCE):
                return ""
        asked = http.client.HTTPConnection(address, port, timeout=_PATIENCE)
        asked.request("GET", path)
        status = asked.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"port {port}: {error}"
    return "" if status == http.client.OK else f"port {port}: {path} is answered with {status}"


if __name__ == "__main__":
    found = reason(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
    print(found)
    sys.exit(bool(found))
