"""The table `runs`: what was asked, by which version, on which machine."""

from typing import Any

from fivenines.export.attempts import NamedRun
from fivenines.export.columns import Column, ExportTable
from fivenines.export.keys import moment


def _machine(name: str) -> Any:
    return lambda one: getattr(one.run.manifest.machine, name)


MACHINE: list[Column[NamedRun]] = [
    Column("hostname", "VARCHAR", "", "name of the machine", _machine("hostname")),
    Column("kernel", "VARCHAR", "", "of the machine", _machine("kernel")),
    Column("os", "VARCHAR", "", "of the machine", _machine("os")),
    Column("cpu", "VARCHAR", "", "model of the processors", _machine("cpu")),
    Column("cores", "BIGINT", "", "processors that could be used", _machine("cores")),
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
        "host_limits", "VARCHAR", "", "whether limits of hosts apply there, and why not", _machine("limits")
    ),
    Column("congestion_control", "VARCHAR", "", "TCP's, of the machine", _machine("congestion_control")),
]
"""Where a run was measured; `trials` has the same columns."""

RUNS: ExportTable[NamedRun] = ExportTable(
    "runs",
    "a run",
    [
        Column("run", "VARCHAR", "", "the run; its folder's name", lambda one: one.name),
        Column("folder", "VARCHAR", "", "where it lay", lambda one: str(one.run.folder.resolve())),
        Column("experiment", "VARCHAR", "", "name", lambda one: one.experiment.get("name")),
        Column("created", "TIMESTAMP", "UTC", "when it began", lambda o: moment(o.run.manifest.created)),
        Column("fivenines", "VARCHAR", "", "version that ran it", lambda one: one.run.manifest.fivenines),
        Column("engines", "JSON", "", "version of each engine", lambda one: one.run.manifest.engines),
        *MACHINE,
        Column(
            "settings", "JSON", "", "the whole experiment, all defaults filled in", lambda one: one.experiment
        ),
        Column("source", "VARCHAR", "", "the experiment file as it was", lambda one: one.run.manifest.source),
        Column("planned_trials", "BIGINT", "", "trials in the plan", lambda one: len(one.run.manifest.plan)),
        Column(
            "planned_blocks", "BIGINT", "", "blocks in the plan", lambda one: len(one.run.manifest.blocks)
        ),
        Column(
            "problems", "VARCHAR[]", "", "what of its folder could not be read", lambda one: one.run.problems
        ),
    ],
)
