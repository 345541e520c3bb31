"""Complete arguments in the shell.

The shell calls this at each press of a key, so nothing heavy is imported: names of kinds are read out
of the files that define them, and runs are folders.
"""

import json
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from fivenines.base import paths

# A word, and its description, which some shells show.
Item = tuple[str, str]

_PACKAGE = Path(__file__).parents[1]
# Longest wait, in seconds, after a press of a key.
_PATIENCE = 1.0

_STRING = r'"((?:[^"\\]|\\.)*)"'


def solutions(incomplete: str) -> list[Item]:
    """Return matching kinds of solutions."""
    return _beginning(incomplete, kinds("solutions", "solution"))


def workloads(incomplete: str) -> list[Item]:
    """Return matching kinds of workloads."""
    return _beginning(incomplete, kinds("load/workloads", "workload"))


def faults(incomplete: str) -> list[Item]:
    """Return matching kinds of faults."""
    return _beginning(incomplete, kinds("faults", "fault"))


def runs(incomplete: str) -> list[Item]:
    """Return matching runs under ./runs, the newest first; the shell completes folders."""
    from fivenines.cli.experiments.runs import all_runs, called  # noqa: PLC0415  (needs more than a completion should)

    return _beginning(incomplete, ((called(folder), "") for folder in reversed(all_runs())))


def shown(incomplete: str) -> list[Item]:
    """Return matching kinds of solutions and runs; the shell completes files."""
    return [*solutions(incomplete), *runs(incomplete)]


def studies(incomplete: str) -> list[Item]:
    """Return matching built-in studies; the shell completes files."""
    names = sorted(path.stem for path in (_PACKAGE / "studies").glob("*.yaml"))
    return _beginning(incomplete, ((name, "") for name in names))


def engines(incomplete: str) -> list[Item]:
    """Return matching names of engines."""
    return _beginning(incomplete, _engines())


def hosts(incomplete: str) -> list[Item]:
    """Return matching nodes of the running deployment, with their current roles."""
    return _beginning(incomplete, _hosts())


def kinds(package: str, key: str) -> Iterator[Item]:
    """Return the kinds that a package's files define, with the description of their key.

    A kind is a class with `key: Literal["name", ...]`, as `plugins.kinds` finds it; importing them all
    would take half a second.
    """
    pattern = re.compile(rf"^    {key}: Literal\[([^\]]*)\](?:.*?description={_STRING})?", re.M | re.S)
    for file in sorted((_PACKAGE / package).rglob("*.py")):
        for match in pattern.finditer(file.read_text(encoding="utf-8")):
            for name in re.findall(_STRING, match[1]):
                yield name, match[2] or ""


def _engines() -> Iterator[Item]:
    pattern = re.compile(rf"^    name = {_STRING}", re.M)
    for file in sorted((_PACKAGE / "software").rglob("*.py")):
        for name in pattern.findall(file.read_text(encoding="utf-8")):
            yield name, ""


def _hosts() -> Iterator[Item]:
    """Ask the running deployment's keeper, as `fivenines status` does; empty if none answers."""
    with (
        suppress(OSError, ValueError, KeyError),
        paths.short_path(paths.playground()) as folder,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        connection.settimeout(_PATIENCE)
        connection.connect(f"{folder}/keeper.sock")
        with connection.makefile("rw", encoding="utf-8") as stream:
            stream.write('{"do": "status"}\n')
            stream.flush()
            for node in json.loads(stream.readline())["status"]["nodes"]:
                yield node["name"], node["role"]


def _beginning(incomplete: str, items: Iterable[Item]) -> list[Item]:
    return [item for item in items if item[0].startswith(incomplete)]
