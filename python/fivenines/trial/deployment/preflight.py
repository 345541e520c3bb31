"""Check that servers accept the user's settings, by starting one server on a copy of the data.

The server runs alone for about a second before a campaign or a deployment begins. Otherwise a mistyped name
in `server:` would show in the first trial, or in the last trial that uses it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines.base import plugins
from fivenines.base.errors import FiveninesError, brief
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.processes.process import tail
from fivenines.load import dataset
from fivenines.servers.base import Server
from fivenines.servers.in_effect import Finding
from fivenines.servers.spelled import canonical
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.settings import SolutionSettings

# Longest time in seconds until a server answers. A server ends at once if it refuses a setting.
PATIENCE = 20.0

_BEFORE_THE_WORDS = re.compile(r"^.*?(?=\[ERROR\]|FATAL:|PANIC:|LOG:)")


@dataclass(frozen=True)
class Refusal:
    """Settings that a server refuses or does not apply: the keys of the first, and a reason."""

    keys: tuple[str, ...]
    words: str
    what: str = "does not start with it"


def refusal(settings: SolutionSettings, data: Path, folder: Path) -> Refusal | None:
    """Return which of the user's settings the servers of a solution refuse; None if none.

    A server that does not start without these settings either is left to the trial, which reports why.

    Args:
        settings: with engine and data set in the cache.
        data: folder of a data set for the solution.
        folder: scratch folder, removed afterwards.
    """
    given = settings.handed_over()
    if not given or settings.external:
        return None
    words, differing = _tried(settings, data, folder)
    if differing:
        reasons = "\n".join(map(str, differing))
        return Refusal(("server", differing[0].setting.partition(":")[0]), reasons, _NOT_IN_EFFECT)
    if not words or _tried(_with_only(settings, ()), data, folder)[0]:
        return None
    named = blamed(given, words)
    if named is not None:
        return Refusal(named, words)
    keys, words = _by_trial(list(given), lambda some: _tried(_with_only(settings, some), data, folder)[0])
    return Refusal(keys, f"it starts without this setting; with it: {words}")


_NOT_IN_EFFECT = "starts, but the setting is not in effect"


def blamed(given: Mapping[tuple[str, ...], object], words: str) -> tuple[str, ...] | None:
    """Return the keys of the first setting that `words` name, by name or by value; None if none."""
    if len(given) == 1:
        return next(iter(given))
    message = _alike(words)
    named = {keys: at for keys in given if (at := _place(keys[-1], message)) >= 0}
    quoted = {
        keys: at
        for keys, value in given.items()
        if len(str(value)) >= _TELLING
        and not isinstance(value, int | float)
        and (at := words.find(str(value))) >= 0
    }
    matches = named or quoted
    return min(matches, key=lambda keys: matches[keys]) if matches else None


# Number of characters of a value that identify it.
_TELLING = 4


def _by_trial(
    given: Sequence[tuple[str, ...]], words_with: Callable[[Sequence[tuple[str, ...]]], str]
) -> tuple[tuple[str, ...], str]:
    """Return the first setting with which the server does not start, and the server's message.

    `words_with` returns the message of a server that does not start with some of the settings. With none of
    them it starts.
    """
    starts, fails, words = 0, len(given), words_with(given)
    while fails - starts > 1:
        middle = (starts + fails) // 2
        if message := words_with(given[:middle]):
            fails, words = middle, message
        else:
            starts = middle
    return given[fails - 1], words


def _place(name: str, message: str) -> int:
    match = re.search(rf"(?<![a-z0-9_]){re.escape(_alike(name))}(?![a-z0-9_])", message)
    return match.start() if match else -1


def _alike(text: str) -> str:
    """Normalise a setting's name: MariaDB and MySQL accept - for _, PostgreSQL ignores case."""
    return text.lower().replace("-", "_")


def _with_only(settings: SolutionSettings, keys: Sequence[tuple[str, ...]]) -> SolutionSettings:
    """Return a solution with some of the user's settings, and those that its data was created with."""
    names = {key[-1] for key in keys} | set(settings.data_settings)
    server = {name: value for name, value in settings.server.items() if name in names}
    return settings.model_copy(update={"server": server})


def _tried(settings: SolutionSettings, data: Path, folder: Path) -> tuple[str, list[Finding]]:
    """Return the message of a server that does not start with these settings, and settings not in effect."""
    manager = settings.failover_manager
    with NamespaceLab(folder, all_ids=manager is not None and manager.all_ids) as lab:
        kind: Any = plugins.implementation("fivenines.solutions", Solution, settings)
        solution: Solution[Any, Any] = kind(settings, lab, engine(settings.engine), data)
        solution.hosts.add()
        node = solution.nodes[0]
        dataset.copy(data, node)
        node.setup.configure(solution.configuration.whole(node))
        solution.start_alone(node)
        try:
            node.wait_ready(PATIENCE)
        except FiveninesError:
            return _last_output(node), []
        given = [
            name
            for name in settings.server
            if canonical(name, settings.family) not in node.monitoring.of_role
        ]
        try:
            findings = node.monitoring.in_effect({name: settings.server[name] for name in given})
        except Exception as error:  # drivers raise what they like
            return f"it starts, but does not answer what fivenines asks: {brief(error)}", []
        return "", [finding for finding in findings if finding.kind == "differs"]


def _last_output(node: Server) -> str:
    lines = [_BEFORE_THE_WORDS.sub("", line.strip()) for line in node.telling_words()]
    telling = [line for line in lines if not _NO_REASON.search(line)]
    if not telling and not node.alive:
        # The whole log, as the reason may be anywhere in it.
        logs = (tail(log, 12).splitlines() for log in (node.log, node.host.node / "log" / "server.out"))
        every = [_BEFORE_THE_WORDS.sub("", line.strip()) for log in logs for line in log]
        telling = [line for line in every if line and not _NO_REASON.search(line)]
    if telling:
        return "\n".join(dict.fromkeys(telling))
    if node.alive:
        return f"it runs, but does not answer at its socket within {PATIENCE:g} s"
    return "it ends without a message"


# Final messages without a reason: MariaDB's last line, and PostgreSQL's line after the list of mistakes.
_NO_REASON = re.compile(
    r"\[ERROR\] (?:\[MY-\d+\] \[Server\] )?Aborting$|contains errors$"
    r"|the database system is |database system (?:is ready|was shut down)"
    r"|LOG:  (?:starting|listening|checkpoint|shutting)"
)
