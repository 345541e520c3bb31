"""`fivenines doctor`: what this machine can do, and the remedy for what it cannot."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from fivenines.cli.options import AsJson

if TYPE_CHECKING:
    from fivenines.doctor import Check

_MARKS = {
    "ok": ("ok     ", "green"),
    "warning": ("warning", "yellow"),
    "failed": ("FAILED ", "red"),
}


def doctor(as_json: AsJson = False) -> None:
    """Check what this machine can do; for what it cannot, say the exact remedy.

    Exit code 1 when something is missing that every experiment needs.

    \b
    fivenines doctor
    fivenines doctor --json
    """
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
        return (
            f"No experiment can run here yet: {failed} of {len(states)} checks failed, see above."
        )
    if warnings:
        said = "1 warning" if warnings == 1 else f"{warnings} warnings"
        return f"Ready: experiments can run here. {said} above: what they name is limited."
    return "Ready: everything works here."
