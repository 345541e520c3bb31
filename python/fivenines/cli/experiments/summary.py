"""Print the summary of a run, for `run` and `results show`."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path


def show(folder: Path, wide: bool = False) -> None:
    """Print the summary on stdout, and alarms on stderr.

    With `wide`, print all columns without wrapping lines.
    """
    from fivenines.cli.output import console
    from fivenines.report.terminal import terminal

    blocks = terminal.blocks(folder, console.stdout().width, wide)
    if not blocks:
        console.note(f"{folder}: no trial is complete yet, so there is no summary")
    for block in blocks:
        for line in block.lines:
            if block.alarm:
                console.note(line, "bold red")
            else:
                console.say(line)
        if block.columns:
            console.table(block.columns, block.rows, names=block.names, groups=block.groups, wide=wide)
    left_out = [name for block in blocks for name in block.left_out]
    console.note_left_out(left_out, f"fivenines results show {folder.name} --wide")
