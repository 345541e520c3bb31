"""Requests of scripts on hosts to the lab, and the lab's answers.

A script appends its request to a log of its host and waits at a pipe for the answer, which a command on the
host writes. Logs arrive here and commands get there wherever a host is: in namespaces, on a virtual machine,
or on a machine over SSH. That stands for a separate network without faults: the wire of a power switch, or an
administrator's phone.
"""

import contextlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.lab.host import Host
from fivenines.lab.processes.process import whole_lines
from fivenines.servers.base import inside

# Name in a host's log folder.
LOG = "requests.log"

# Seconds between two looks at the logs: part of a failover's time; a look costs the machine microseconds.
_POLL = 0.02

# Longest time in seconds that a script waits for an answer.
_PATIENCE = 60

# Path of the pipe for an answer, up to the request's number.
_PIPE = inside("run", "answer-")

_LINE = re.compile(r"(?P<id>[\w-]+) (?P<words>.+)")


def script() -> str:
    """Return a shell function `request WORDS...`, which prints the lab's answer; nothing: there is none."""
    pipe = f"{_PIPE}$id"
    return f"""\
request() {{
  id=$$-$(date +%s%N)
  mkfifo "{pipe}" || return 1
  echo "$id $*" >> {inside("log", LOG)}
  timeout {_PATIENCE} cat "{pipe}"
  rm -f "{pipe}"
}}
"""


# Serves a request of a host, word by word, and returns the answer, one line; None: the host gets none.
Serve = Callable[[Host, list[str]], str | None]


class Requests:
    """Serves the requests of all scripts on some hosts, one after another, from its start to its stop.

    Args:
        hosts: the hosts.
        serve: what serves a request, by its first word; other requests get no answer.
    """

    def __init__(self, hosts: Sequence[Host], serve: Mapping[str, Serve]) -> None:
        self._hosts = hosts
        self._serve_by = serve
        self._ended = threading.Event()
        # Requests of an earlier start of the same hosts are not served again.
        self._positions = {host.name: whole_lines(host.node / "log" / LOG, 0)[1] for host in hosts}
        self._thread = Background(target=self._serve)
        self._thread.start()

    def stop(self) -> None:
        """Stop serving; a request that is being served is finished first."""
        self._ended.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._ended.wait(_POLL):
            for host in self._hosts:
                for line in self._fresh(host):
                    if (asked := _LINE.fullmatch(line)) is not None:
                        self._reply(host, asked["id"], asked["words"].split())

    def _fresh(self, host: Host) -> list[str]:
        """Return the lines of a host's log since the last look."""
        log, position = host.node / "log" / LOG, self._positions[host.name]
        if not log.exists() or log.stat().st_size == position:
            return []
        lines, self._positions[host.name] = whole_lines(log, position)
        return lines

    def _reply(self, host: Host, to: str, words: list[str]) -> None:
        serve = self._serve_by.get(words[0])
        answer = None if serve is None else serve(host, words)
        if answer is None:
            return
        # A script that has ended meanwhile needs no answer.
        with contextlib.suppress(FiveninesError):
            host.commands.run(["sh", "-c", _ANSWER, "sh", f"{_PIPE}{to}", answer])


# A pipe without a reader must not hold up the next request.
_ANSWER = 'test -p "$1" && printf "%s\\n" "$2" | timeout 5 tee "$1" > /dev/null'
