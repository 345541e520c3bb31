"""Differences between runs other than their measures: program, machine, versions, settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines.results.store import Run

# A setting by its keys; entries of lists by their names, as `[galera]`.
Path = tuple[str, ...]

# Keys of an experiment that do not affect measures.
_NO_SETTING = ("name", "description", "seed", "trials", "decide", "thresholds")

# Fields that do not identify a machine; `limits` describes the user's permissions.
_NO_MACHINE = ("hostname", "user")


@dataclass(frozen=True)
class Fact:
    """A difference between runs: its value in each run; None: the run has no such setting."""

    what: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Only:
    """A part that only some of the runs have: `runs` are their indices; `number` of settings are in it."""

    what: str
    runs: tuple[int, ...]
    number: int


@dataclass(frozen=True)
class Environment:
    """Result of a comparison of environments; `same` facts are equal in all runs."""

    differing: list[Fact]
    only: list[Only]
    same: int

    @property
    def differs(self) -> bool:
        """Return whether the runs differ in anything."""
        return bool(self.differing or self.only)


def environment(runs: Sequence[Run]) -> Environment:
    """Compare the runs' manifests; settings that some runs lack are reported by the largest missing part."""
    facts = [_facts(run) for run in runs]
    paths = list(dict.fromkeys(path for fact in facts for path in fact))
    has = {path: tuple(path in fact for fact in facts) for path in paths}
    differing = []
    for path in paths:
        values = tuple(fact.get(path) for fact in facts)
        if len({value for value in values if value is not None}) > 1:
            differing.append(Fact(_written(path), values))
    lacking = {path: which for path, which in has.items() if not all(which)}
    reported = {item.what for item in differing}
    only = [item for item in _only(lacking, has) if item.what not in reported]
    return Environment(differing, only, len(paths) - len(differing) - len(lacking))


def _only(lacking: Mapping[Path, tuple[bool, ...]], has: Mapping[Path, tuple[bool, ...]]) -> list[Only]:
    """Return the shortest paths below which the same runs lack everything, each with the number of its
    settings.
    """
    result: dict[Path, int] = {}
    for path, which in lacking.items():
        heads = (path[:length] for length in range(1, len(path) + 1))
        # A value in one run may be a mapping in another one: then there is no such head.
        head = next(
            (head for head in heads if all(w == which for p, w in has.items() if p[: len(head)] == head)),
            path,
        )
        result[head] = result.get(head, 0) + 1
    return [
        Only(_written(head), tuple(n for n, present in enumerate(_which(head, has)) if present), number)
        for head, number in result.items()
    ]


def _which(head: Path, has: Mapping[Path, tuple[bool, ...]]) -> tuple[bool, ...]:
    if head in has:
        return has[head]
    return next(which for path, which in has.items() if path[: len(head)] == head)


def _facts(run: Run) -> dict[Path, str]:
    manifest = run.manifest
    machine: dict[Path, str] = {
        (name,): str(value)
        for name, value in manifest.machine.model_dump().items()
        if name not in _NO_MACHINE
    }
    engines: dict[Path, str] = {(f"engine {name}",): version for name, version in manifest.engines.items()}
    return {
        **_workers(run),
        ("fivenines",): manifest.fivenines,
        **machine,
        **engines,
        **dict(_flat(manifest.experiment, ())),
    }


def _workers(run: Run) -> dict[Path, str]:
    """Return the number of parallel trials and of CPUs for each; {} for sequential trials."""
    result = [trial.record.worker for trial in run.complete]
    parallel = sorted({f"{item.neighbours + 1} of {len(item.cores)} cores each" for item in result if item})
    return {("parallel trials",): ", ".join(parallel)} if parallel else {}


def _flat(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield settings by their path; entries of lists by their names where they have any."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if path or key not in _NO_SETTING:
                yield from _flat(inner, (*path, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            name = inner.get("name") if isinstance(inner, Mapping) else None
            yield from _flat(inner, (*path, f"[{name or index}]"))
    else:
        yield path, str(value)


def _written(path: Path) -> str:
    """`solutions[galera].access.kind`."""
    return ".".join(path).replace(".[", "[")
