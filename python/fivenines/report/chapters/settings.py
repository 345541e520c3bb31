"""Chapter `settings` of the report."""

from fivenines.report import details
from fivenines.report.chapters.data import Data
from fivenines.report.section import Section, drawer
from fivenines.report.table import Table


def chapter(data: Data) -> Section:
    """What was asked for, and of what machine."""
    manifest = data.run.manifest
    engines = Table(
        "Engines", ["Engine", "Version"], [list(item) for item in manifest.engines.items()]
    )
    drawers = [
        *drawer("The experiment, defaults included", details.experiment_table(data.run)),
        *drawer("The experiment file as it was", text=manifest.source),
        *drawer("Machine and engines", details.machine_table(manifest.machine), engines),
    ]
    for solution, tables in details.solution_tables(data.done).items():
        drawers += drawer(f"Settings of {solution}", *tables)
    drawers += drawer("All trials and their seeds", details.trials_table(data.run, data.names))
    return Section("settings", "Settings and environment", drawers=drawers)
