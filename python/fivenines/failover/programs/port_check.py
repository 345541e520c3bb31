"""Check whether a server answers at a port: `python -m … ADDRESS PORT [PATH]`.

Runs in the network of a host of the lab. Without a path a connection is enough; with a path, HTTP status 200
is required. Exit code 0, or 1 with the reason on one line.
"""

import http.client
import socket
import sys

_PATIENCE = 2.0


def reason(address: str, port: int, path: str = "") -> str:
    """Return why no server answers; empty if one does."""
    try:
        if not path:
            with socket.create_connection((address, port), _PATIENCE):
                return ""
        connection = http.client.HTTPConnection(address, port, timeout=_PATIENCE)
        connection.request("GET", path)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"port {port}: {error}"
    return "" if status == http.client.OK else f"port {port}: {path} returns HTTP status {status}"


if __name__ == "__main__":
    found = reason(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
    print(found)
    sys.exit(bool(found))
