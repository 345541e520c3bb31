"""Whether the servers accept settings that a person hands over to them: one is started on a copy of the data.

It is started alone, for a second, before a campaign or a playground begins: a mistyped name in `server:`
would otherwise show in the first trial, or in the last one that happens to use it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines import plugins
from fivenines.errors import FiveninesError
from fivenines.lab.world import World
from fivenines.load import dataset
from fivenines.servers.base import Server
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.settings import SolutionSettings

PATIENCE = 20.0
"""Seconds that a server may take to answer; a setting that is refused ends it at once."""

_BEFORE_THE_WORDS = re.compile(r"^.*?(?=\[ERROR\]|FATAL:|PANIC:|LOG:)")


@dataclass(frozen=True)
class Refusal:
    """Settings that a server does not start with: the keys that lead to the first one, and its words."""

    keys: tuple[str, ...]
    words: str


def refusal(settings: SolutionSettings, data: Path, folder: Path) -> Refusal | None:
    """What the servers of a solution refuse of what is handed over to them; None if nothing.

    A server that does not start without these settings either is none of their business: the trial will
    tell why.

    Args:
        settings: engine and data set are in the cache.
        data: folder of a data set for it.
        folder: scratch folder, gone afterwards.
    """
    given = settings.handed_over()
    if not given or settings.external:
        return None
    words = _words(settings, data, folder)
    if not words or _words(_without(settings, {keys[0] for keys in given}), data, folder):
        return None
    return Refusal(blamed(list(given), words), words)


def blamed(given: Sequence[tuple[str, ...]], words: str) -> tuple[str, ...]:
    """The keys of the setting that the words name first; of several that they do not, what they share."""
    said = _alike(words)
    found = {keys: at for keys in given if (at := _place(keys[-1], said)) >= 0}
    if found:
        return min(found, key=lambda keys: found[keys])
    return given[0] if len(given) == 1 else given[0][:1]


def _place(name: str, said: str) -> int:
    match = re.search(rf"(?<![a-z0-9_]){re.escape(_alike(name))}(?![a-z0-9_])", said)
    return match.start() if match else -1


def _alike(text: str) -> str:
    """MariaDB and MySQL take - for _ in names, and PostgreSQL any case."""
    return text.lower().replace("-", "_")


def _without(settings: SolutionSettings, keys: set[str]) -> SolutionSettings:
    fields = type(settings).model_fields
    usual = {key: fields[key].get_default(call_default_factory=True) for key in keys}
    if "server" in usual:
        # the data set is made with them, and no server starts on it without
        usual["server"] = settings.data_settings
    return settings.model_copy(update=usual)


def _words(settings: SolutionSettings, data: Path, folder: Path) -> str:
    """What a server says that does not start with these settings; empty if it starts."""
    manager = settings.failover_manager
    with World(folder, all_ids=manager is not None and manager.all_ids) as world:
        kind: Any = plugins.implementation("fivenines.solutions", Solution, settings)
        solution: Solution[Any, Any] = kind(settings, world, engine(settings.engine), data)
        solution.add_hosts()
        node = solution.nodes[0]
        dataset.copy(data, node)
        node.configure(solution.whole_configuration(node))
        solution.start_alone(node)
        try:
            node.wait_ready(PATIENCE)
        except FiveninesError:
            return _said(node)
    return ""


def _said(node: Server) -> str:
    lines = [_BEFORE_THE_WORDS.sub("", line.strip()) for line in node.last_words().splitlines()]
    # the last thing that MariaDB says, after the reason
    telling = [line for line in lines if line and not line.endswith("[ERROR] Aborting")]
    return "\n".join(dict.fromkeys(telling)) or "it does not start, and does not say why"
