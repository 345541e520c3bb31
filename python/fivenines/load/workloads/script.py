"""Custom transactions: SQL files in pgbench's syntax, and sysbench's Lua scripts, both unchanged."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from fivenines.base import plugins
from fivenines.load.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    AnyData = WorkloadSettings
else:
    AnyData = plugins.settings_union(
        "fivenines.load.workloads", WorkloadSettings, "workload", without=("mix", "script")
    )


class Script(WorkloadSettings):
    """Custom scripts: SQL files with :name parameters and .lua files of sysbench, with weights."""

    family = "script"
    elsewhere: ClassVar[Mapping[str, str]] = {
        "protocol": "write `load: {protocol: simple}`, with bench --protocol simple"
    }

    workload: Literal["script"] = Field(description="custom SQL files or sysbench Lua scripts")
    files: Annotated[list[str], Field(min_length=1)] = Field(
        description="files relative to the experiment file: .lua files for sysbench, all others are "
        "SQL; FILE@3 is chosen three times as often as FILE"
    )
    define: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="values of :name parameters in SQL files"
    )
    options: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="options of a Lua script, as `tables: 4`"
    )
    data: AnyData | None = Field(
        None,
        description="workload whose data set the scripts use; null: the `prepare` of a single Lua "
        "script, or none",
    )
    setup: list[str] = Field(
        default_factory=list, description=".sql files that create custom tables and rows"
    )

    def problems(self) -> list[str]:
        """Return problems of the settings as a whole."""
        found: list[str] = []
        for entry in self.files:
            name, weight = parted(entry)
            if not name:
                found.append("files: an entry has no name")
            if not (weight.isascii() and weight.isdecimal() and 1 <= int(weight) <= 1_000_000):
                found.append(f"files: the weight of {entry!r} must be a whole number from 1 to 1000000")
        found += [f"setup: {name!r} does not end in .sql" for name in self.setup if not name.endswith(".sql")]
        if {name.replace("_", "-") for name in self.options} & {"threads", "num-threads"}:
            found.append("options: threads: leave it out and set `connections`")
        lua = sum(parted(entry)[0].endswith(".lua") for entry in self.files)
        if self.options and not lua:
            found.append("options: apply only to Lua scripts: use `define` for SQL files")
        if lua and len(self.files) > 1 and not self.data and not self.setup:
            found.append("data: several scripts, one of them in Lua, need `data` or `setup`")
        return found

    def missing_files(self, base: Path) -> list[str]:
        names = [*(parted(entry)[0] for entry in self.files), *self.setup]
        return [f"{base / name}: the file does not exist" for name in names if not (base / name).is_file()]

    def located(self, base: Path) -> "Script":
        folder = base.absolute()

        def place(entry: str) -> str:
            name, weight = parted(entry)
            return f"{folder / name}" + (f"@{weight}" if weight != "1" else "")

        changes = {
            "files": [place(entry) for entry in self.files],
            "setup": [str(folder / name) for name in self.setup],
        }
        return self.model_copy(update=changes)

    def data_set(self) -> dict[str, str | int]:
        found: dict[str, str | int] = {"family": "none"}
        if self.data:
            found = self.data.data_set()
        elif lua := self._prepares():
            found = {"family": "lua", "options": json.dumps(_texts(self.options))}
            found["script"] = _fingerprint([Path(lua)])
        if self.setup:
            found = {**found, "setup": _fingerprint(self.setup_files())}
        return found

    def document(self) -> dict[str, Any]:
        files = [parted(entry) for entry in self.files]
        return {
            "workload": self.workload,
            "files": [{"path": name, "weight": int(weight)} for name, weight in files],
            "define": _texts(self.define),
            "options": _texts(self.options),
        }

    def prepares(self) -> list[WorkloadSettings]:
        if self.data:
            return self.data.prepares()
        return [self] if self._prepares() else []

    def _prepares(self) -> str | None:
        """Return the Lua script whose `prepare` creates the data, if nothing else does."""
        names = [parted(entry)[0] for entry in self.files]
        alone = len(names) == 1 and names[0].endswith(".lua") and not self.setup
        return names[0] if alone and self.data is None else None

    def notes(self) -> list[str]:
        names = [name for name, _ in map(parted, self.files) if name.endswith(".lua")]
        found = []
        for name in names:
            text = Path(name).read_text(encoding="utf-8", errors="replace")
            hooks = dict.fromkeys(re.findall(r"^[^-\n]*\bhooks\.(report_\w+)\s*=", text, re.M))
            if hooks:
                found.append(
                    f"{name}: {' and '.join(hooks)}: not called, as reports are fivenines' own: --out DIR "
                    "has summary.csv, timeline.csv and load.json"
                )
        return found

    @property
    def only_sql_files(self) -> bool:
        return not any(parted(entry)[0].endswith(".lua") for entry in self.files)

    def setup_files(self) -> list[Path]:
        return [Path(name) for name in self.setup]


def _fingerprint(files: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _texts(values: dict[str, str | int | float | bool]) -> dict[str, str]:
    """Format values as on a command line."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}


def parted(entry: str) -> tuple[str, str]:
    """Split an entry into the file's name and the text of its weight, 1 by default."""
    match = re.fullmatch(r"(.+)@([^@/.]*)", entry, re.S)
    return (match[1], match[2]) if match else (entry, "1")
