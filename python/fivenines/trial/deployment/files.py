"""Collect the configuration files of a deployment: what fivenines wrote on each host, without passwords.

Any text file in a host's folder `conf` is configuration, and so are files in its data folder that were
written with `write_configuration`. A solution, proxy or manager needs no further code to be shown.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fivenines.failover.proxies.base import Access
from fivenines.lab.host import ENGINE, NODE, Host
from fivenines.lab.lab import Lab
from fivenines.lab.network import network
from fivenines.results.configuration import Configuration, ConfigurationFile
from fivenines.servers.local import LocalServer
from fivenines.servers.spelled import canonical
from fivenines.solutions.base import Solution
from fivenines.trial.deployment.configuration import read_text, written_files

# The statements that make a node a member, which are in no file of the host.
STATEMENTS = "join.sql"

_KEY = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(?:[=:]|\s)")

_EVERYWHERE = "0.0.0.0"

# Values that users may have put into settings or templates; the passwords of the lab are known. In a string
# of PostgreSQL's configuration quotes are doubled.
_SECRET = re.compile(
    r"(?i)((?:passw(?:or)?d|passphrase|sst_auth|\bpwd|secret)[\"']?\s*[=:]\s*)"
    r"(?:\"[^\"]*(\")|''[^']*('')|'[^']*(')|[^\s;,'\"]+)"
)


def _hidden(match: re.Match[str]) -> str:
    quote = match[2] or match[3] or match[4] or ""
    return f"{match[1]}{quote}***{quote}"


class WrittenFiles:
    """The configuration files of a lab's hosts as fivenines wrote them: daemons may rewrite them later.

    Args:
        lab: the lab, whose hosts may not exist yet.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        # Texts by host and path.
        self._texts: dict[str, dict[str, str]] = {}

    def take(self) -> None:
        """Take over all files that exist now."""
        self._texts = self._now()

    @contextmanager
    def added(self) -> Iterator[None]:
        """Take over the files that are written within the block."""
        before = self._now()
        yield
        for host, texts in self._now().items():
            known = before.get(host, {})
            new = {path: text for path, text in texts.items() if known.get(path) != text}
            self._texts.setdefault(host, {}).update(new)

    def configuration(self, solution: Solution[Any, Any], access: Access[Any]) -> Configuration:
        """Return the files of all hosts without passwords, with marks, in the order of the hosts."""
        addresses = (*(host.address for host in self._lab.hosts.values()), self._lab.virtual_address)
        known = re.compile("|".join(rf"(?<![\d.]){re.escape(one)}(?![\d.])" for one in addresses))
        nodes = {node.name: node for node in solution.nodes if isinstance(node, LocalServer)}
        files = []
        for host in self._lab.hosts:
            texts, node, names = dict(self._texts.get(host, {})), nodes.get(host), {}
            if node is not None:
                names = _for_measuring(node, solution.settings.server)
                if statements := solution.statements(node):
                    texts[STATEMENTS] = "".join(f"{statement};\n" for statement in statements)
            elif host == access.settings.host:
                names = dict(access.for_measuring)
            for path, text in sorted(texts.items()):
                shown = _SECRET.sub(_hidden, solution.passwords.hidden(text))
                marks = _marks(shown, names, known)
                files.append(ConfigurationFile(host=host, path=path, text=shown, marks=marks))
        return Configuration(files=files)

    def _now(self) -> dict[str, dict[str, str]]:
        return {name: _texts(host) for name, host in self._lab.hosts.items()}


def _texts(host: Host) -> dict[str, str]:
    """Return the texts of a host's configuration files by path inside the host."""
    folder = host.node / "conf"
    texts = {str(NODE / "conf" / file.relative_to(folder)): read_text(file) for file in written_files(folder)}
    texts |= {str(NODE / "data" / name): text for name, text in host.data.configuration.items()}
    return {path: text for path, text in texts.items() if text is not None}


def _for_measuring(node: LocalServer, given: Mapping[str, object]) -> dict[str, str]:
    """Return the server settings that fivenines needs for itself, without those that the user has set."""
    family = node.engine.family
    chosen = {canonical(name, family) for name in given}
    return {name: why for name, why in node.setup.for_measuring.items() if name not in chosen}


def _marks(text: str, names: Mapping[str, str], addresses: re.Pattern[str]) -> dict[int, str]:
    """Return the lines that fivenines needs for itself only, with the reasons."""
    marks = {}
    for number, line in enumerate(text.splitlines(), start=1):
        key = _KEY.match(line)
        if key and (why := names.get(key[1].lower().replace("-", "_"))):
            marks[number] = why
        elif f"{NODE}/" in line or f"{ENGINE}/" in line:
            marks[number] = "a path in the lab"
        elif _EVERYWHERE in line:
            marks[number] = "all hosts of the lab connect"
        elif network.PREFIX in line or addresses.search(line):
            marks[number] = "an address in the lab"
    return marks
