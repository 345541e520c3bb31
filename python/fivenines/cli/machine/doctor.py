"""`fivenines doctor`: check the prerequisites on this machine."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli.options import AsJson

if TYPE_CHECKING:
    from fivenines.campaign.doctor import Check

_MARKS = {
    "ok": ("ok     ", "green"),
    "absent": ("absent ", ""),
    "warning": ("warning", "yellow"),
    "failed": ("FAILED ", "red"),
}


def doctor(
    inventory: Annotated[
        Path | None, typer.Option(help="Check the machines of this inventory instead.", metavar="HOSTS.yaml")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check this machine and print how to install each missing prerequisite.

    Exit code 1 if a prerequisite of every experiment is missing.

    \b
    fivenines doctor
    fivenines doctor --json
    fivenines doctor --inventory hosts.yaml
    """
    if inventory is not None:
        of_inventory(inventory, as_json, [])
        return
    from fivenines.campaign.doctor import examine
    from fivenines.cli.output import console

    found = examine()
    failed = any(check.state == "failed" for check in found)
    if as_json:
        console.as_json({"ok": not failed, "checks": [asdict(check) for check in found]})
    else:
        show(found)
        console.say(_verdict([check.state for check in found]), "bold")
    if failed:
        raise typer.Exit(1)


def of_inventory(inventory: Path, as_json: bool, only: list[str]) -> None:
    """Check the prerequisites on each machine of an inventory.

    Raises:
        Exit: with code 1, if no experiment can run on one of them.
    """
    from fivenines.campaign.doctor import Check
    from fivenines.cli.machine.hosts import done_on, names_of
    from fivenines.cli.output import console
    from fivenines.lab.ssh.checks import examine

    found: dict[str, list[Check]] = {}
    for name, checks, error in done_on(inventory, names_of(inventory, only), examine):
        found[name] = [Check(*one) for one in checks or ()]
        if error is not None:
            found[name] = [Check("SSH", "failed", str(error), "see above")]
        if not as_json:
            console.say(name, "bold")
            show(found[name])
    failed = [name for name, checks in found.items() if any(c.state == "failed" for c in checks)]
    if as_json:
        machines = {name: [asdict(check) for check in checks] for name, checks in found.items()}
        console.as_json({"ok": not failed, "machines": machines})
    elif failed:
        console.say(f"No experiment can run on: {', '.join(failed)}. See above.", "bold")
    else:
        console.say(f"Ready: {len(found)} machines can be hosts.", "bold")
    if failed:
        raise typer.Exit(1)


def show(checks: "Sequence[Check]") -> None:
    """Print a line per check, with its fix below."""
    from fivenines.cli.output import console

    for check in checks:
        mark, style = _MARKS[check.state]
        console.say_hanging(f"{mark}  {check.name}: {check.seen}", 9, style if check.remedy else "")
        for line in check.remedy.splitlines():
            console.say_hanging(f"             {line}", 13)


def _verdict(states: list[str]) -> str:
    """Return the conclusion."""
    failed, warnings = states.count("failed"), states.count("warning")
    if failed:
        return f"No experiment can run here yet: {failed} of {len(states)} checks failed, see above."
    if warnings:
        number = "1 warning" if warnings == 1 else f"{warnings} warnings"
        return f"Ready: experiments can run here, with limits: see {number} above."
    return "Ready: all checks passed."
