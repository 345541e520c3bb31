"""`fivenines doctor`: what this machine can do, and the remedy for what it cannot."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli.options import AsJson

if TYPE_CHECKING:
    from fivenines.doctor import Check

_MARKS = {"ok": ("ok     ", "green"), "warning": ("warning", "yellow"), "failed": ("FAILED ", "red")}


def doctor(
    inventory: Annotated[
        Path | None, typer.Option(help="The machines of this inventory instead.", metavar="HOSTS.yaml")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check what this machine can do; for what it cannot, say the exact remedy.

    Exit code 1 when something is missing that every experiment needs.

    \b
    fivenines doctor
    fivenines doctor --json
    fivenines doctor --inventory hosts.yaml
    """
    if inventory is not None:
        of_inventory(inventory, as_json, [])
        return
    from fivenines.cli import console
    from fivenines.doctor import examine

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
    """Check what each machine of an inventory can do.

    Raises:
        Exit: with code 1, when one can have no experiment.
    """
    from fivenines.cli import console
    from fivenines.cli.hosts import done_on, names_of
    from fivenines.doctor import Check
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
    """A line each, with the remedy below."""
    from fivenines.cli import console

    for check in checks:
        mark, style = _MARKS[check.state]
        console.say(f"{mark}  {check.name}: {check.seen}", style if check.remedy else "")
        for line in check.remedy.splitlines():
            console.say(f"             {line}")


def _verdict(states: list[str]) -> str:
    """All in a sentence, the last line."""
    failed, warnings = states.count("failed"), states.count("warning")
    if failed:
        return f"No experiment can run here yet: {failed} of {len(states)} checks failed, see above."
    if warnings:
        said = "1 warning" if warnings == 1 else f"{warnings} warnings"
        return f"Ready: experiments can run here. {said} above: what they name is limited."
    return "Ready: everything works here."
