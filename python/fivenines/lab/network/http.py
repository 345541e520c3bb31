"""Send one HTTP request from a host of the lab: servers in the lab cannot be reached from outside.

As a program, this module runs in the host's network and prints the status and the body.
"""

import http.client
import json
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from fivenines.lab.host import Host


@dataclass(frozen=True)
class Answer:
    """The status and the body of an answer; status 0: no answer, and the text gives the reason."""

    status: int
    text: str

    def json(self) -> Any:
        """Return the body parsed as JSON; None if it is not JSON."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None


def ask(host: "Host", method: str, url: str, body: object = None, timeout: float = 2.0) -> Answer:
    """Send a request from a host's network, with `body` as JSON. Does not raise if the peer is silent."""
    connection = host.commands.way_to(urlsplit(url).netloc, timeout)
    if connection is not None:
        return _over(connection, method, url, "" if body is None else json.dumps(body))
    program = [sys.executable, "-I", "-S", str(Path(__file__)), method, url, str(timeout)]
    done = subprocess.run(
        host.commands.outside(program),
        input="" if body is None else json.dumps(body),
        capture_output=True,
        text=True,
        check=False,
    )
    status, _, text = done.stdout.partition("\n")
    if done.returncode != 0 or not status.isdigit():
        return Answer(0, "".join(done.stderr.strip().splitlines()[-1:]) or "no answer")
    return Answer(int(status), text)


def _over(stream: socket.socket, method: str, url: str, body: str) -> Answer:
    """Send a request over an open connection and close it."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.sock = stream
    try:
        connection.request(method, parts.path or "/", body or None)
        answer = connection.getresponse()
        return Answer(answer.status, answer.read().decode(errors="replace"))
    except (OSError, http.client.HTTPException) as error:
        return Answer(0, f"{type(error).__name__}: {error}")
    finally:
        connection.close()


def _main(method: str, url: str, timeout: float) -> None:
    parts = urlsplit(url)
    body = sys.stdin.read()
    connection = http.client.HTTPConnection(parts.netloc, timeout=timeout)
    try:
        connection.request(method, parts.path or "/", body or None)
        answer = connection.getresponse()
        sys.stdout.write(f"{answer.status}\n{answer.read().decode(errors='replace')}")
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
