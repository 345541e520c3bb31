"""Which workload a bench runs: from --workload, --script, --set and what follows `--`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from fivenines import plugins
from fivenines.cli import assignments, bench_foreign, bench_sysbench
from fivenines.errors import UsageError
from fivenines.experiment import checks
from fivenines.experiment.allowed import Shape
from fivenines.experiment.mistakes import from_validation
from fivenines.experiment.spec import AnyWorkload
from fivenines.spelling import nearest
from fivenines.units import FROM_FILE
from fivenines.workloads.script import parted
from fivenines.workloads.settings import WorkloadSettings

DEFAULT = "oltp_read_write"
_PACKAGE = "fivenines.workloads"
_SHARED = ("workload", "name")


def workload_from(
    names: Sequence[str],
    scripts: Sequence[str],
    settings: Sequence[str],
    defines: Sequence[str],
    words: Sequence[str],
) -> WorkloadSettings:
    """The settings of the workload, or of the mix of several.

    Args:
        names: kinds of workloads, with `@WEIGHT` behind.
        scripts: files, with `@WEIGHT` behind.
        settings: assignments; each is for all workloads that have the setting, or for the one
            whose kind or family stands before it.
        defines: values of parameters in SQL files.
        words: a Lua script's own options.

    Raises:
        UsageError: they are wrong, or make no sense.
    """
    if words and not any(parted(script)[0].endswith(".lua") for script in scripts):
        if advice := bench_foreign.advice(words):
            raise UsageError(advice)
        raise UsageError(f"bench: {words[0]!r} is not an option, and no --script FILE.lua takes it")
    parts = [_kind(name) for name in names]
    parts += _scripts(scripts, defines, words)
    if defines and not any(part["workload"] == "script" for _, part in parts):
        raise UsageError("--define: it is for --script FILE.sql, which is not there")
    parts = parts or [(1, {"workload": DEFAULT})]
    for assignment in settings:
        _set(parts, assignment)
    if len(parts) == 1:
        return _validated(parts[0][1])
    for _, part in parts:  # alone first: a mistake is then told in fewer words
        _validated(part)
    mixed = [{"weight": weight, "workload": part} for weight, part in parts]
    return _validated({"workload": "mix", "parts": mixed})


def kinds() -> dict[str, type[WorkloadSettings]]:
    """The workloads that --workload names."""
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
    """SQL files make one workload together, each Lua script one of its own."""
    together: list[str] = []
    parts: list[tuple[int, dict[str, Any]]] = []
    for script in scripts:
        name, weight = parted(script)
        if not Path(name).is_file():
            raise UsageError(f"--script {name}: there is no such file")
        often = _weight(weight, f"--script {script}")
        if name.endswith(".lua"):
            part: dict[str, Any] = {"workload": "script", "files": [str(Path(name).absolute())]}
            own = {word.name: word.value for word in bench_sysbench.read(words)}
            parts.append((often, {**part, "options": own}))
        else:
            together.append(f"{Path(name).absolute()}@{often}")
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
            raise UsageError(f"--define {text}: write NAME=VALUE, as in --define scale=10")
        found[name] = value
    return found


def _set(parts: list[tuple[int, dict[str, Any]]], assignment: str) -> None:
    origin = "bench: --set"
    keys, value = assignments.split(assignment, origin, "subscribers=10000")
    models = plugins.kinds(_PACKAGE, WorkloadSettings, "workload")
    wanted = [part for _, part in parts]
    named = [one for one in wanted if keys[0] in (one["workload"], models[one["workload"]].family)]
    if len(keys) > 1 and named and keys[0] not in _fields(models[named[0]["workload"]]):
        wanted, keys = named, keys[1:]
    taking = [one for one in wanted if keys[0] in _fields(models[one["workload"]])]
    if not taking:
        known = sorted({name for one in wanted for name in _fields(models[one["workload"]])})
        raise UsageError(
            f"{origin} {assignment}: {' and '.join(one['workload'] for one in wanted)} has no "
            f"setting {keys[0]!r}{nearest(keys[0], known)}\n    allowed: {', '.join(known)}"
        )
    for one in taking:
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
    said = [*checks.problems(workload), *workload.missing_files(Path())]
    if said:
        raise UsageError("\n".join(f"bench: {one}" for one in said))
    return workload.located(Path())


def _weight(text: str, origin: str) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:8]) <= 1_000_000):
        raise UsageError(f"{origin}: the weight is not a whole number from 1 to 1000000")
    return int(text)
