"""Chapter `settings` of the report."""

from collections.abc import Sequence
from typing import Any

from fivenines.analysis.cells import CellResult
from fivenines.analysis.wording import NOTHING, count, milliseconds
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.html.section import Drawer, Section, folded
from fivenines.report.sentences import clocks, workers
from fivenines.report.table import Table, right
from fivenines.results.basics import Machine
from fivenines.results.records import Deployment
from fivenines.results.store import Run


def chapter(data: Data) -> Section:
    """Return the settings of the experiment, and the machine."""
    manifest = data.run.manifest
    engines = Table("Engines", ["Engine", "Version"], [list(item) for item in manifest.engines.items()])
    drawers = [
        Drawer("Experiment with defaults", [experiment_table(data.run)]),
        Drawer("Experiment file", source=manifest.source),
        Drawer("Machine and engines", [machine_table(manifest.machine), engines]),
        *folded(workers.table(data.done)),
        *folded(clocks.table(data.done)),
        *(
            Drawer(f"Settings of {solution}", tables)
            for solution, tables in solution_tables(data.done).items()
        ),
        Drawer("All trials with their seeds", [trials_table(data.run, data.names)]),
    ]
    machine = manifest.machine
    text = (
        f"Run by fivenines {manifest.fivenines} on {count(machine.cores, 'core')} ({machine.cpu}),"
        f" {machine.os}, {machine.kernel}."
    )
    return Section("settings", "Settings", [text], drawers=drawers)


def experiment_table(run: Run) -> Table:
    """Return the experiment with all defaults."""
    rows = [list(row) for row in flatten(run.manifest.experiment)]
    return Table("Experiment with defaults", ["Setting", "Value"], rows)


def machine_table(machine: Machine) -> Table:
    """Return the machine of the run."""
    rows = [
        ["Host", machine.hostname],
        ["Operating system", machine.os],
        ["Kernel", machine.kernel],
        ["Processor", machine.cpu],
        ["Cores", str(machine.cores)],
        ["Memory", f"{machine.memory_bytes / 2**30:.1f} GiB"],
        ["Python", machine.python],
        ["Run as", "root" if machine.user == "root" else "an ordinary user"],
        ["Limits of hosts", machine.limits or "none"],
        ["TCP congestion control", machine.congestion_control],
    ]
    return Table("Machine", ["Property", "Value"], rows)


def trials_table(run: Run, names: Names) -> Table:
    """Return all planned trials in their order, with their seeds."""
    done = {stored.record.id: stored.record for stored in run.complete}
    failed = {stored.record.id for stored in run.broken}
    rows = []
    for planned in run.manifest.plan:
        record = done.get(planned.id)
        state = "complete" if record else "broken" if planned.id in failed else "not run"
        seconds = f"{record.seconds:.1f}" if record else NOTHING
        cpu = (
            NOTHING
            if record is None or record.controller_cpu is None
            else (f"{100 * record.controller_cpu:.1f} %")
        )
        rows.append(
            [
                planned.id,
                names.full(planned.cell),
                str(planned.number),
                str(planned.seed),
                state,
                seconds,
                cpu,
            ]
        )
    columns = ["Trial", "Cell", "Number", "Seed", "State", "Seconds", "CPU of the controller"]
    return Table(
        "All trials in the order of the plan", columns, rows, 1, right(columns, "Trial", "Cell", "State")
    )


def solution_tables(cells: Sequence[CellResult]) -> dict[str, list[Table]]:
    """Return for each solution: manager, access, roles and phases, then the effective server settings."""
    tables: dict[str, list[Table]] = {}
    for cell in cells:
        for trial in cell.trials:
            deployment = trial.record.deployment
            if deployment and cell.called not in tables:
                tables[cell.called] = _solution(deployment, trial.record.id)
    return tables


def _solution(deployment: Deployment, trial: str) -> list[Table]:
    rows = [["manager: " + key, value] for key, value in deployment.manager.items()]
    rows += [["access: " + key, value] for key, value in deployment.access.items()]
    rows += [["role of " + key, value] for key, value in deployment.roles.items()]
    rows += [
        ["deployment: " + key, milliseconds(1000 * seconds)] for key, seconds in deployment.phases.items()
    ]
    rows += [["limits", deployment.limits]] if deployment.limits else []
    about = Table(f"Manager, access and deployment (of trial {trial})", ["Property", "Value"], rows)
    return [about, *_read_back(deployment, trial), _server_settings(deployment, trial)]


def _read_back(deployment: Deployment, trial: str) -> list[Table]:
    """Return settings that servers rounded or do not show; no table if all are in effect."""
    check = deployment.in_effect
    if check is None or not (check.adjusted or check.unobserved):
        return []
    rows = [
        [one.place, one.setting, one.asked, one.found or "not observed", one.why]
        for one in (*check.adjusted, *check.unobserved)
    ]
    caption = f"Settings that were rounded, or not observed (of trial {trial})"
    return [Table(caption, ["Server", "Setting", "Requested", "In effect", "Reason"], rows)]


def _server_settings(deployment: Deployment, trial: str) -> Table:
    nodes = list(deployment.settings)
    keys = sorted({key for settings in deployment.settings.values() for key in settings})
    alike, different = [], []
    for key in keys:
        values = [deployment.settings[node].get(key, NOTHING) for node in nodes]
        if len(set(values)) == 1:
            alike.append([key, values[0]])
        else:
            by_node = "; ".join(f"{n}: {v}" for n, v in zip(nodes, values, strict=True))
            different.append([key, by_node])
    caption = f"Effective server settings of {', '.join(nodes)} (of trial {trial};"
    caption += " settings that differ between nodes first)"
    return Table(caption, ["Setting", "Value"], different + alike)


def flatten(value: Any, path: str = "") -> list[tuple[str, str]]:
    """Return nested settings as (path, text): `solutions[0].manager.kind`, `operator`."""
    if isinstance(value, dict) and value:
        return [
            row
            for key, inner in value.items()
            for row in flatten(inner, f"{path}.{key}" if path else str(key))
        ]
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return [row for n, inner in enumerate(value) for row in flatten(inner, f"{path}[{n}]")]
    return [(path, plain(value))]


def plain(value: Any) -> str:
    """Return a scalar or a plain list as text."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value) or "none"
    return "empty" if value in ("", {}) else str(value)
