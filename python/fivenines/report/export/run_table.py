"""The table `runs`: experiment, version and machine of each run."""

from typing import Any

from fivenines.report.export.attempts import NamedRun
from fivenines.report.export.columns import Column, ExportTable
from fivenines.report.export.keys import moment


def _machine(name: str) -> Any:
    return lambda one: getattr(one.run.manifest.machine, name)


# The machine of a run; `trials` has the same columns.
MACHINE: list[Column[NamedRun]] = [
    Column("hostname", "VARCHAR", "", "name of the machine", _machine("hostname")),
    Column("kernel", "VARCHAR", "", "kernel of the machine", _machine("kernel")),
    Column("os", "VARCHAR", "", "operating system of the machine", _machine("os")),
    Column("cpu", "VARCHAR", "", "CPU model", _machine("cpu")),
    Column("cores", "BIGINT", "", "number of usable CPUs", _machine("cores")),
    Column("memory_bytes", "BIGINT", "bytes", "memory of the machine", _machine("memory_bytes")),
    Column("python", "VARCHAR", "", "version of Python", _machine("python")),
    Column(
        "machine_user",
        "VARCHAR",
        "",
        "whether fivenines ran as root or as an ordinary user",
        _machine("user"),
    ),
    Column(
        "host_limits", "VARCHAR", "", "whether resource limits of hosts apply, or why not", _machine("limits")
    ),
    Column(
        "congestion_control",
        "VARCHAR",
        "",
        "TCP congestion control of the machine",
        _machine("congestion_control"),
    ),
]

RUNS: ExportTable[NamedRun] = ExportTable(
    "runs",
    "a run",
    [
        Column("run", "VARCHAR", "", "name of the run, that of its folder", lambda one: one.name),
        Column(
            "folder",
            "VARCHAR",
            "",
            "path of its folder at the time of the export",
            lambda one: str(one.run.folder.resolve()),
        ),
        Column("experiment", "VARCHAR", "", "name of the experiment", lambda one: one.experiment.get("name")),
        Column("created", "TIMESTAMP", "UTC", "start of the run", lambda o: moment(o.run.manifest.created)),
        Column("fivenines", "VARCHAR", "", "version of fivenines", lambda one: one.run.manifest.fivenines),
        Column("engines", "JSON", "", "version of each engine", lambda one: one.run.manifest.engines),
        *MACHINE,
        Column("settings", "JSON", "", "the whole experiment with all defaults", lambda one: one.experiment),
        Column("source", "VARCHAR", "", "text of the experiment file", lambda one: one.run.manifest.source),
        Column("planned_trials", "BIGINT", "", "trials in the plan", lambda one: len(one.run.manifest.plan)),
        Column(
            "planned_blocks", "BIGINT", "", "blocks in the plan", lambda one: len(one.run.manifest.blocks)
        ),
        Column(
            "problems",
            "VARCHAR[]",
            "",
            "files of its folder that could not be read",
            lambda one: one.run.problems,
        ),
    ],
)
