"""Engines that a user brings: `{image: …}`, `{archive: …}` or `{path: …}` of a family that is known.

Such an engine has one name, `image:…`, `archive:…` or `path:…`, with `#FAMILY` behind it where that is
said. It is what settings, manifests and messages call it.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fivenines import paths
from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.host import Root
from fivenines.software import unpacking
from fivenines.software.base import CachedEngine, EngineStatus, Family, Report
from fivenines.software.trees import Tree, family_named

Kind = Literal["image", "archive", "path"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# The first and the last version of each family that was tried: their settings and words are known.
KNOWN: Mapping[Family, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "postgresql": ((13,), (18,)),
    "mariadb": ((10, 5), (11, 8)),
    "mysql": ((9,), (9, 99)),
}

_WHY_OLDER: Mapping[Family, str] = {
    "postgresql": "standbys were set up by another file before 12, and 12 was not tried",
    "mariadb": "its programs have other names before 10.5",
    "mysql": "8 has other variables and statements, and none could be had to try it",
}
_WHY_NEWER = "none could be had to try it"

_NAME = "name.json"


@dataclass(frozen=True)
class Source:
    """Where an engine comes from, and whose it is."""

    kind: Kind
    where: str
    family: Family

    @property
    def name(self) -> str:
        """The one name of the engine."""
        said = "" if family_named(self.where) == self.family else f"#{self.family}"
        return f"{self.kind}:{self.where}{said}"

    @classmethod
    def written(cls, value: Mapping[str, object]) -> "Source":
        """As an experiment file has it: `{image: docker.io/library/mysql:8.4}`, with `family:` if need be.

        Raises:
            UsageError: it is not that.
        """
        said = dict(value)
        family = said.pop("family", None)
        if len(said) != 1 or next(iter(said)) not in KINDS or family not in (None, *KNOWN):
            raise UsageError(
                "an engine of your own is {image: …}, {archive: …} or {path: …}, with `family:` "
                f"{', '.join(KNOWN)} where its name does not say it"
            )
        kind, where = next(iter(said.items()))
        return cls.named(f"{kind}:{where}" + (f"#{family}" if family else ""))

    @classmethod
    def named(cls, name: str) -> "Source":
        """Of an engine's name; paths become absolute.

        Raises:
            UsageError: the family is not known.
        """
        kind, _, rest = name.partition(":")
        where, _, family = rest.partition("#")
        if kind not in KINDS or not where:
            raise UsageError(f"{name!r} is no engine: write image:…, archive:… or path:…")
        if kind != "image":
            where = str(Path(where).expanduser().absolute())
        found = family or (_family_in(Path(where)) if kind == "path" else family_named(where))
        if found not in KNOWN:
            raise UsageError(f"{kind} {where}: say whose server it has, `family:` {', '.join(KNOWN)}")
        return cls(kind, where, found)  # type: ignore[arg-type]  # it is a key of KNOWN


class CustomEngine(CachedEngine):
    """An engine of a user's, made by its name; see the module."""

    def __init__(self, source: Source) -> None:
        # what is a class's own with other engines is here that of what was brought
        self.name, self.family = source.name, source.family  # type: ignore[misc]
        self.description = f"brought: {source.kind} {source.where}"  # type: ignore[misc]
        self._from = source
        self._digest = ""

    @property
    def folder(self) -> Path:
        return paths.cache() / "engines" / "brought" / self.file_name

    @property
    def file_name(self) -> str:
        words = re.sub(r"[^A-Za-z0-9.]+", "-", self._from.where.rpartition("/")[2])[:40]
        sum_ = hashlib.sha256(self.name.encode()).hexdigest()[:12]
        return f"{words}-{sum_}"

    def status(self) -> EngineStatus:
        if self._from.kind != "path":
            return super().status()
        try:
            tree = self._looked_at()
        except FiveninesError as error:
            return EngineStatus(False, path=self._from.where, detail=str(error))
        return EngineStatus(True, tree.version, 0, self._from.where)

    def pull(self, report: Report) -> None:
        if self._from.kind == "path":
            self._looked_at()
        else:
            super().pull(report)

    @contextmanager
    def used(self, report: Report) -> Iterator[EngineStatus]:
        if self._from.kind == "path":
            # whose it is may do with it what they like
            yield self.require(report)
        else:
            with super().used(report) as status:
                yield status

    def remove(self) -> None:
        if self._from.kind == "path":
            raise FiveninesError(f"{self._from.where} is yours: fivenines does not remove it")
        super().remove()

    def build(self, tree: Path, report: Report) -> str:
        assert self._from.kind != "path"
        self._digest = unpacking.unpack(self._from.kind, self._from.where, tree, report)
        found = Tree.looked_at(tree)
        _require_known(self.name, self.family, found)
        # its folder's name is not enough to list it
        (tree.parent / _NAME).write_text(json.dumps(self.name))
        return f"{found.version} ({self._digest.removeprefix('sha256:')[:12]})"

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

    def _looked_at(self) -> Tree:
        found = Tree.looked_at(Path(self._from.where))
        _require_known(self.name, self.family, found)
        return found

    def _tree(self) -> Tree:
        """For its programs, which are looked for often; its version would take a process each time."""
        return Tree(Path(self._from.where) if self._from.kind == "path" else self.tree, self.family)


def is_custom(name: str) -> bool:
    """Whether an engine's name is that of one that somebody brings."""
    return name.partition(":")[0] in KINDS and ":" in name


def custom() -> list[CustomEngine]:
    """Those in the cache."""
    found = []
    for receipt in sorted((paths.cache() / "engines" / "brought").glob(f"*/{_NAME}")):
        try:
            found.append(CustomEngine(Source.named(json.loads(receipt.read_text()))))
        except (OSError, ValueError, UsageError):
            continue
    return found


def _require_known(name: str, family: Family, tree: Tree) -> None:
    if tree.family != family:
        raise FiveninesError(f"{name} has a server of {tree.family}, not of {family}")
    first, last = KNOWN[family]
    number = tuple(int(part) for part in re.findall(r"\d+", tree.version))
    older = number[: len(first)] < first
    if older or number[: len(last)] > last:
        raise FiveninesError(
            f"{name} has {family} {tree.version}: only {'.'.join(map(str, first))} to "
            f"{'.'.join(map(str, last))} are known here. {_WHY_OLDER[family] if older else _WHY_NEWER}"
        )


def _family_in(path: Path) -> Family | None:
    try:
        return Tree.looked_at(path).family
    except FiveninesError as error:
        raise UsageError(str(error)) from error
