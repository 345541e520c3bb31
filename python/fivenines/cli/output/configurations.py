"""Print and write configuration files."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fivenines.base.errors import UsageError
from fivenines.cli.output import console

if TYPE_CHECKING:
    from fivenines.results.configuration import Configuration, ConfigurationFile


@dataclass(frozen=True)
class Shown:
    """What `fivenines show` has found.

    Attributes:
        every: configurations by the name of the solution.
        external: names of external solutions, for which fivenines writes nothing.
    """

    every: "Mapping[str, Configuration]"
    external: Sequence[str]


def note_external(names: Sequence[str]) -> None:
    """Explain why there are no files of external solutions."""
    for name in names:
        console.note(
            f"{name}: an external cluster, in which fivenines writes no configuration. A run reads the "
            "settings of its servers back: `fivenines show RUN` prints them."
        )


def print_files(every: "Mapping[str, Configuration]", *, as_json: bool) -> None:
    """Print configurations, equal files once, with the names of their nodes."""
    if as_json:
        console.as_json({name: _listed(one) for name, one in every.items()})
        return
    out = console.stdout()
    first = True
    for name, configuration in every.items():
        for hosts, file in configuration.grouped():
            if not first:
                out.out("")
            first = False
            solution = f"{name}, " if len(every) > 1 else ""
            console.say(f"==> {solution}{', '.join(hosts)}: {file.path} <==", "bold")
            out.out(file.annotated().rstrip("\n") or "(an empty file)", highlight=False)


def print_differences(both: "Mapping[str, Configuration]", *, as_json: bool) -> None:
    """Print the settings in which two solutions differ."""
    from fivenines.analysis.configuration import NOT_SET, differences

    found = differences(list(both.values()))
    if as_json:
        console.as_json(
            [
                {"file": one.file, "setting": one.setting, "values": dict(zip(both, one.values, strict=True))}
                for one in found
            ]
        )
        return
    if not found:
        console.say(f"The files of {' and '.join(both)} have the same settings.")
        return
    rows = [[one.setting, *(NOT_SET if value is None else value for value in one.values)] for one in found]
    console.table(["Setting", *both], rows, names=["Setting"], groups=[one.file for one in found])


def write(every: "Mapping[str, Configuration]", folder: Path) -> None:
    """Write the files into a new folder, below the name of the solution, if there are several, and the node.

    Raises:
        UsageError: the folder exists and is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"show: --out {folder} exists already: name a new folder")
    for name, configuration in every.items():
        place = folder / re.sub(r"[^\w.+-]+", "-", name).strip("-") if len(every) > 1 else folder
        for file in configuration.files:
            target = place / file.host / _below_node(file)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.annotated(), encoding="utf-8")
            console.say(str(target))


def _below_node(file: "ConfigurationFile") -> str:
    """Return the path of a file in the folder of its node, as conf/my.cnf."""
    path = PurePosixPath(file.path)
    if not path.is_absolute():
        return path.name if path.suffix else "effective-settings.conf"
    return "/".join(path.parts[-2:])


def _listed(configuration: "Configuration") -> list[dict[str, object]]:
    return [
        {"nodes": hosts, "path": file.path, "text": file.text, "for_measuring": file.marks}
        for hosts, file in configuration.grouped()
    ]
