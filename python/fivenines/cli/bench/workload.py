"""Build the workload of a bench from --workload, --script, --set and the options after `--`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from fivenines.base import plugins
from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest
from fivenines.base.units import FROM_FILE
from fivenines.cli import assignments
from fivenines.cli.bench import foreign as bench_foreign
from fivenines.cli.bench import sysbench as bench_sysbench
from fivenines.experiment.sections.workload import AnyWorkload
from fivenines.experiment.validation.allowed import Shape
from fivenines.experiment.validation.mistakes import from_validation
from fivenines.experiment.validation.nested import problems_within
from fivenines.load.workloads.script import parted
from fivenines.load.workloads.settings import WorkloadSettings

DEFAULT = "oltp_read_write"
_PACKAGE = "fivenines.load.workloads"
_SHARED = ("workload", "name")


def workload_from(
    names: Sequence[str],
    scripts: Sequence[str],
    settings: Sequence[str],
    defines: Sequence[str],
    words: Sequence[str],
) -> WorkloadSettings:
    """Return the settings of the workload, or of a mix of several.

    Args:
        names: kinds of workloads, with an optional `@WEIGHT`.
        scripts: files, with an optional `@WEIGHT`.
        settings: assignments; each applies to all workloads that have the setting, or only to
            the kind or family that precedes it.
        defines: values of parameters in SQL files.
        words: options of a Lua script.

    Raises:
        UsageError: the options are wrong or contradict each other.
    """
    if words and not any(parted(script)[0].endswith(".lua") for script in scripts):
        if advice := bench_foreign.advice(words):
            raise UsageError(advice)
        raise UsageError(f"bench: {words[0]!r} is not an option. Options after `--` need --script FILE.lua")
    parts = [_kind(name) for name in names]
    parts += _scripts(scripts, defines, words)
    if defines and not any(part["workload"] == "script" for _, part in parts):
        raise UsageError("--define: has no effect without --script FILE.sql")
    parts = parts or [(1, {"workload": DEFAULT})]
    for assignment in settings:
        _set(parts, assignment)
    if len(parts) == 1:
        return _validated(parts[0][1])
    for _, part in parts:  # alone first, for shorter messages
        _validated(part)
    mixed = [{"weight": weight, "workload": part} for weight, part in parts]
    return _validated({"workload": "mix", "parts": mixed})


def kinds() -> dict[str, type[WorkloadSettings]]:
    """Return the workloads that --workload can name."""
    found = plugins.kinds(_PACKAGE, WorkloadSettings, "workload")
    return {name: model for name, model in found.items() if name not in ("mix", "script")}


def _kind(text: str) -> tuple[int, dict[str, Any]]:
    name, _, weight = text.partition("@")
    known = kinds()
    if name not in known:
        raise UsageError(
            f"--workload: unknown workload {name!r}{nearest(name, known)}\n"
            f"    allowed: one of {', '.join(known)}"
        )
    return _weight(weight, f"--workload {text}"), {"workload": name}


def _scripts(
    scripts: Sequence[str], defines: Sequence[str], words: Sequence[str]
) -> list[tuple[int, dict[str, Any]]]:
    """Return one workload for all SQL files, and one per Lua script."""
    together: list[str] = []
    parts: list[tuple[int, dict[str, Any]]] = []
    for script in scripts:
        name, weight = parted(script)
        if not Path(name).is_file():
            raise UsageError(f"--script {name}: the file does not exist")
        share = _weight(weight, f"--script {script}")
        if name.endswith(".lua"):
            part: dict[str, Any] = {"workload": "script", "files": [str(Path(name).absolute())]}
            own = {word.name: word.value for word in bench_sysbench.read(words)}
            parts.append((share, {**part, "options": own}))
        else:
            together.append(f"{Path(name).absolute()}@{share}")
    if together:
        alone = not parts
        total = 1 if alone else sum(int(one.rpartition("@")[2]) for one in together)
        files = [one.removesuffix("@1") for one in together]
        part = {"workload": "script", "files": files, "define": _defined(defines)}
        parts.append((total, part))
    return parts


def _defined(defines: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in defines:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--define {text}: write NAME=VALUE, as --define scale=10")
        found[name] = value
    return found


def _set(parts: list[tuple[int, dict[str, Any]]], assignment: str) -> None:
    origin = "bench: --set"
    keys, value = assignments.split(assignment, origin, "subscribers=10000")
    models = plugins.kinds(_PACKAGE, WorkloadSettings, "workload")
    workloads = [part for _, part in parts]
    named = [
        workload
        for workload in workloads
        if keys[0] in (workload["workload"], models[workload["workload"]].family)
    ]
    if len(keys) > 1 and named and keys[0] not in _fields(models[named[0]["workload"]]):
        workloads, keys = named, keys[1:]
    affected = [workload for workload in workloads if keys[0] in _fields(models[workload["workload"]])]
    if not affected:
        moved = [models[workload["workload"]].elsewhere.get(keys[0]) for workload in workloads]
        if instead := next(filter(None, moved), None):
            raise UsageError(f"{origin} {assignment}: {keys[0]!r} is not a setting of a workload: {instead}")
        known = sorted({name for workload in workloads for name in _fields(models[workload["workload"]])})
        raise UsageError(
            f"{origin} {assignment}: {' and '.join(workload['workload'] for workload in workloads)} has no "
            f"setting {keys[0]!r}{nearest(keys[0], known)}\n    allowed: {', '.join(known)}"
        )
    for one in affected:
        assignments.put(one, keys, value, f"{origin} {assignment}", "workload")


def _fields(model: type[WorkloadSettings]) -> list[str]:
    return [name for name in model.written() if name not in _SHARED]


def _validated(asked: dict[str, Any]) -> WorkloadSettings:
    adapter: TypeAdapter[WorkloadSettings] = TypeAdapter(AnyWorkload)
    try:
        workload = adapter.validate_json(
            json.dumps(asked, default=str), strict=True, context={FROM_FILE: True}
        )
    except ValidationError as error:
        found = from_validation(WorkloadSettings, error.errors(), Shape.of(AnyWorkload))
        raise UsageError("\n".join(one.block("bench") for one in found)) from None
    # Without the checks of solutions, whose import takes longer than the start of the load.
    problems = [*problems_within(workload, lambda part: part.problems()), *workload.missing_files(Path())]
    if problems:
        raise UsageError("\n".join(f"bench: {problem}" for problem in problems))
    return workload.located(Path())


def _weight(text: str, origin: str) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:8]) <= 1_000_000):
        raise UsageError(f"{origin}: the weight must be a whole number from 1 to 1000000")
    return int(text)
