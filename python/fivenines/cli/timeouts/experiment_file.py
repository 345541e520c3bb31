"""Write experiments that search for the longest hiccup, and kill the primary to compare."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivenines.base.errors import UsageError

# Seconds of load after the longest hiccup: a manager may act some seconds after its end.
_AFTER = 45.0


@dataclass(frozen=True)
class Searched:
    """An experiment of `tolerate` or `tune`.

    Attributes:
        comment: its question.
        name: its name.
        solutions: entries of the file.
        death: the fault that kills the primary.
        hiccups: shortest and longest hiccup to try, in seconds, by fault.
        trials: the largest number of trials of each cell.
    """

    comment: str
    name: str
    solutions: Sequence[Mapping[str, Any]]
    death: str
    hiccups: Mapping[str, tuple[float, float]]
    trials: int

    def text(self) -> str:
        """Return the text of the experiment file."""
        from fivenines.base.units import format_duration

        longest = max(high for _, high in self.hiccups.values())
        ranges = {
            fault: f"{{at_least: {format_duration(low)}, at_most: {format_duration(high)}}}"
            for fault, (low, high) in self.hiccups.items()
        }
        faults = [self.death, *(f"{{fault: {fault}, search: {text}}}" for fault, text in ranges.items())]
        until = "{measure: outage_writes, within: 20%}"
        trials = [
            "# A search ends as soon as the length is known; the kills end once their outage is.",
            f"trials: {{at_least: 5, at_most: {self.trials}, until: {until}}}",
        ]
        return experiment_text(self.comment, self.name, trials, self.solutions, faults, longest)


def experiment_text(
    comment: str,
    name: str,
    trials: Sequence[str],
    solutions: Sequence[Mapping[str, Any]],
    faults: Sequence[str],
    longest: float,
) -> str:
    """Return an experiment file with a small load.

    Args:
        comment: its question; several lines are permitted.
        name: its name.
        trials: the lines of `trials`.
        solutions: entries of the file.
        faults: entries of the file.
        longest: seconds of the longest fault.
    """
    from fivenines.base.units import format_duration
    from fivenines.experiment.defaults import in_a_line

    lines = [
        *(f"# {line}" for line in comment.splitlines()),
        f"name: {in_a_line(name)}",
        "",
        *trials,
        "",
        "solutions:",
        *(f"  - {in_a_line(dict(entry))}" for entry in solutions),
        "",
        "workloads: [oltp_read_write]",
        "connections: [4]",
        "load: {rate: 20}",
        "# New connections cost more CPU time than this load, and a threshold does not depend on them.",
        "ledger: {probe: {every: 100ms}}",
        "",
        "faults:",
        *(f"  - {fault}" for fault in faults),
        "",
        "# A manager may act some seconds after the end of a hiccup: the load waits for that.",
        "timing:",
        "  warmup: 2s",
        "  steady: 3s",
        f"  recovery: {{at_most: {format_duration(longest + _AFTER)}, until: rejoined, calm: 6s}}",
    ]
    return "\n".join(lines) + "\n"


def written(file: Path, text: str, command: str) -> None:
    """Write the file unless it exists with the same text.

    Raises:
        UsageError: it has other contents.
    """
    import shlex

    from fivenines.cli.output import console

    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise UsageError(
            f"{file} exists and has other contents: choose another file with --file, or run it with "
            f"`{command} {shlex.quote(str(file))}`"
        )
    if not file.exists():
        file.write_text(text, encoding="utf-8")
        console.note(f"experiment: {file}")


def death_named(option: str, name: str) -> str:
    """Return a fault after which the primary is dead.

    Raises:
        UsageError: it is another fault.
    """
    from fivenines.analysis.availability.deaths_in_turn import DEATHS
    from fivenines.base.spelling import nearest

    if name not in DEATHS:
        known = ", ".join(DEATHS)
        raise UsageError(
            f"{option} {name}: the primary does not die of it{nearest(name, list(DEATHS))}"
            f"\n    allowed: {known}"
        )
    return name
