"""Custom engines: `{image: …}`, `{archive: …}` or `{path: …}` of a supported family.

Settings, manifests and messages name such an engine `image:…`, `archive:…` or `path:…`, followed by
`#FAMILY` if the file name does not determine the family.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fivenines.base import paths
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.host import Root
from fivenines.software import unpacking
from fivenines.software.base import CachedEngine, EngineStatus, Family, Report
from fivenines.software.trees import Tree, family_named

Kind = Literal["image", "archive", "path"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Oldest and newest tested version of each family, whose settings and output are known.
KNOWN: Mapping[Family, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "postgresql": ((13,), (18,)),
    "mariadb": ((10, 5), (11, 8)),
    "mysql": ((9,), (9, 99)),
}

_WHY_OLDER: Mapping[Family, str] = {
    "postgresql": "versions before 12 configure standbys differently, and 12 was not tested",
    "mariadb": "programs have other names before 10.5",
    "mysql": "version 8 has other variables and statements, and was not available for a test",
}
_WHY_NEWER = "newer versions were not available for a test"

_NAME = "name.json"


@dataclass(frozen=True)
class Source:
    """The source of a custom engine, and its family."""

    kind: Kind
    where: str
    family: Family

    @property
    def name(self) -> str:
        """Return the name of the engine."""
        suffix = "" if family_named(self.where) == self.family else f"#{self.family}"
        return f"{self.kind}:{self.where}{suffix}"

    @classmethod
    def written(cls, value: Mapping[str, object]) -> "Source":
        """Parse the form of an experiment file: `{image: docker.io/library/mysql:8.4}` and `family`.

        Raises:
            UsageError: the value does not have this form.
        """
        keys = dict(value)
        family = keys.pop("family", None)
        if len(keys) != 1 or next(iter(keys)) not in KINDS or family not in (None, *KNOWN):
            raise UsageError(
                "a custom engine is {image: …}, {archive: …} or {path: …}; add `family:` "
                f"({', '.join(KNOWN)}) if its name does not contain the family"
            )
        kind, where = next(iter(keys.items()))
        return cls.named(f"{kind}:{where}" + (f"#{family}" if family else ""))

    @classmethod
    def named(cls, name: str) -> "Source":
        """Parse an engine's name; paths become absolute.

        Raises:
            UsageError: the name is invalid, or the family is unknown.
        """
        kind, _, rest = name.partition(":")
        where, _, family = rest.partition("#")
        if kind not in KINDS or not where:
            raise UsageError(f"{name!r} is not an engine: write image:…, archive:… or path:…")
        if kind != "image":
            where = str(Path(where).expanduser().absolute())
        resolved = family or (_family_in(Path(where)) if kind == "path" else family_named(where))
        if resolved not in KNOWN:
            raise UsageError(f"{kind} {where}: unknown server: set `family:` to one of {', '.join(KNOWN)}")
        return cls(kind, where, resolved)  # type: ignore[arg-type]  # it is a key of KNOWN


class CustomEngine(CachedEngine):
    """A custom engine, created from its name; see the module."""

    def __init__(self, source: Source) -> None:
        # Class attributes of other engines are instance attributes here.
        self.name, self.family = source.name, source.family  # type: ignore[misc]
        self.description = f"custom: {source.kind} {source.where}"  # type: ignore[misc]
        self._from = source
        self._digest = ""

    @property
    def folder(self) -> Path:
        return paths.cache() / "engines" / "custom" / self.file_name

    @property
    def file_name(self) -> str:
        words = re.sub(r"[^A-Za-z0-9.]+", "-", self._from.where.rpartition("/")[2])[:40]
        sum_ = hashlib.sha256(self.name.encode()).hexdigest()[:12]
        return f"{words}-{sum_}"

    def status(self) -> EngineStatus:
        if self._from.kind != "path":
            return super().status()
        try:
            tree = self._examined()
        except FiveninesError as error:
            return EngineStatus(False, path=self._from.where, detail=str(error))
        return EngineStatus(True, tree.version, 0, self._from.where)

    def pull(self, report: Report) -> None:
        if self._from.kind == "path":
            self._examined()
        else:
            super().pull(report)

    @contextmanager
    def used(self, report: Report) -> Iterator[EngineStatus]:
        if self._from.kind == "path":
            # Its owner can change an external folder at any time.
            yield self.require(report)
        else:
            with super().used(report) as status:
                yield status

    def remove(self) -> None:
        if self._from.kind == "path":
            raise FiveninesError(f"{self._from.where} is not in the cache: fivenines does not remove it")
        super().remove()

    def build(self, tree: Path, report: Report) -> str:
        assert self._from.kind != "path"
        self._digest = unpacking.unpack(self._from.kind, self._from.where, tree, report)
        examined = Tree.examined(tree)
        _require_known(self.name, self.family, examined)
        # The folder's name does not contain the complete name of the engine.
        (tree.parent / _NAME).write_text(json.dumps(self.name))
        return f"{examined.version} ({self._digest.removeprefix('sha256:')[:12]})"

    def source(self) -> str:
        return self._digest

    def server_version(self) -> str:
        return self.status().version.partition(" ")[0]

    def root(self) -> Root:
        return self._tree().root()

    def program(self, name: str) -> str:
        return self._tree().program(name)

    def next_to_server(self) -> dict[str, str]:
        return self._tree().next_to_server()

    def _examined(self) -> Tree:
        tree = Tree.examined(Path(self._from.where))
        _require_known(self.name, self.family, tree)
        return tree

    def _tree(self) -> Tree:
        """Return the tree without its version, which would need a process for each look-up of a program."""
        return Tree(Path(self._from.where) if self._from.kind == "path" else self.tree, self.family)


def is_custom(name: str) -> bool:
    """Return whether an engine's name is that of a custom engine."""
    return name.partition(":")[0] in KINDS and ":" in name


def custom() -> list[CustomEngine]:
    """Return the custom engines in the cache."""
    cached = []
    for receipt in sorted((paths.cache() / "engines" / "custom").glob(f"*/{_NAME}")):
        try:
            cached.append(CustomEngine(Source.named(json.loads(receipt.read_text()))))
        except (OSError, ValueError, UsageError):
            continue
    return cached


def _require_known(name: str, family: Family, tree: Tree) -> None:
    if tree.family != family:
        raise FiveninesError(
            f"{name} contains a {tree.family} server, but its family is {family}: correct `family:`"
        )
    first, last = KNOWN[family]
    number = tuple(int(part) for part in re.findall(r"\d+", tree.version))
    older = number[: len(first)] < first
    if older or number[: len(last)] > last:
        raise FiveninesError(
            f"{name} has {family} {tree.version}, but fivenines supports {'.'.join(map(str, first))} to "
            f"{'.'.join(map(str, last))}: {_WHY_OLDER[family] if older else _WHY_NEWER}"
        )


def _family_in(path: Path) -> Family | None:
    try:
        return Tree.examined(path).family
    except FiveninesError as error:
        raise UsageError(str(error)) from error
