"""Make the pictures in docs/images from real runs: first screens of reports, the live page, the terminal.

    make pictures RUNS=runs [LIVE=FOLDER]

The newest run below RUNS of each experiment in `REPORTS` gives two pictures, and all experiments whose names
begin with `tolerate` give the curve. LIVE holds screenshots of the live page (`live-1280.png`,
`live-390.png`). Pictures without a run stay as they are, and are listed.

Requires Chromium (`chromium`, or the program named by FIVENINES_CHROMIUM).
"""

import argparse
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fivenines.analysis.performance.sweeps import compared
from fivenines.report import write_html
from fivenines.report.chapters.availability import tolerance
from fivenines.report.chapters.data import Data
from fivenines.report.charts.svg import to_file
from fivenines.report.charts.tolerance import tolerance_chart
from fivenines.report.groups import names_of
from fivenines.results.layout import MANIFEST
from fivenines.results.store import open_run

REPORTS = ("quickstart", "managers", "wan")
SCREENS = {"1280": (1280, 900), "390": (390, 844)}
TERMINAL = "quickstart"
CURVE = "tolerate"
MARGIN = 60
COLUMNS = 80
# Maximum size of a picture in bytes: a clone contains every version of each picture.
LARGEST = 150_000

# rich's template without the font that it fetches from another machine.
SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
 font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


def newest_runs(folder: Path) -> dict[str, Path]:
    """Return the newest run of each experiment in a folder of runs or a run folder, by the experiment's
    name.
    """
    found: dict[str, tuple[str, Path]] = {}
    for manifest in [*folder.glob(MANIFEST), *folder.glob(f"*/{MANIFEST}")]:
        run = open_run(manifest.parent)
        name, made = str(run.manifest.experiment.get("name")), str(run.manifest.created)
        if name not in found or made > found[name][0]:
            found[name] = (made, manifest.parent)
    return {name: path for name, (_, path) in found.items()}


def chromium() -> str:
    """Return the path of the browser."""
    named = os.environ.get("FIVENINES_CHROMIUM") or shutil.which("chromium")
    if not named:
        sys.exit("chromium is missing: apt-get install chromium")
    return named


def screenshot(page: Path, size: tuple[int, int], picture: Path) -> None:
    """Take a screenshot of a page's first screen, in the format of the picture's name."""
    width, height = size
    subprocess.run(
        [
            chromium(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--window-size={width},{height}",
            "--virtual-time-budget=3000",
            f"--screenshot={picture}",
            page.as_uri(),
        ],
        capture_output=True,
        check=True,
        timeout=120,
    )
    made(picture)


def made(picture: Path) -> None:
    """Print a picture's size, and exit if it is too large."""
    size = picture.stat().st_size
    print(f"{picture.name}: {size / 1000:.0f} kB")
    if size > LARGEST:
        sys.exit(f"{picture} has {size} bytes; the maximum is {LARGEST}")


def of_report(name: str, run: Path, images: Path) -> None:
    """Render a run's report again, outside the run, and take its first screen at all widths."""
    with tempfile.TemporaryDirectory() as folder:
        page = write_html(run, Path(folder) / "report.html").absolute()
        for width, size in SCREENS.items():
            screenshot(page, size, images / f"report-{name}-{width}.webp")


def of_terminal(run: Path, images: Path) -> None:
    """Render a run's summary as on a terminal of 80 columns."""
    output = subprocess.run(
        [sys.executable, "-m", "fivenines", "results", "show", run.name],
        cwd=run.parent,
        env=os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ fivenines results show {run.name}\n{output.rstrip()}"))
    picture = images / "terminal.svg"
    picture.write_text(
        console.export_svg(title="fivenines", code_format=SVG, unique_id="t"), encoding="utf-8"
    )
    made(picture)


def of_curve(runs: Sequence[Path], images: Path) -> None:
    """Write the chart of the outage after a death against the hiccup that is survived, of these runs."""
    every = [Data(stored, compared(stored)) for stored in map(open_run, runs)]
    names = names_of([cell for data in every for cell in data.cells])
    points = [point for data in every for point in tolerance.points_of(data, names)]
    drawing = to_file(tolerance_chart(points))
    picture = images / "tolerate.svg"
    # Alone, the drawing is cut at its edge: other fonts need more room than Arial.
    wider = re.sub(r'width="(\d+)"', lambda found: f'width="{int(found[1]) + MARGIN}"', drawing, count=1)
    wider = re.sub(
        r'viewBox="0 0 (\d+)', lambda found: f'viewBox="0 0 {int(found[1]) + MARGIN}', wider, count=1
    )
    picture.write_text(wider, encoding="utf-8")
    made(picture)


def of_live_page(shot: Path, images: Path) -> None:
    """Scale down a screenshot (PNG) of the live page."""
    width, height = struct.unpack(">II", shot.read_bytes()[16:24])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(f'<body style="margin:0"><img src="{shot.absolute().as_uri()}">')
        screenshot(page, (width, height), images / f"{shot.stem}.webp")


def main() -> None:
    """Make all pictures whose input exists, and list the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("runs", type=Path, nargs="+", help="run folders, or folders of run folders")
    parser.add_argument("--live", type=Path, help="the folder of live-1280.png and live-390.png")
    parser.add_argument("--to", type=Path, default=Path("docs/images"), help="folder for the pictures")
    arguments = parser.parse_args()
    runs: dict[str, Path] = {}
    for folder in arguments.runs:
        runs |= newest_runs(folder)
    for name in REPORTS:
        if name in runs:
            of_report(name, runs[name], arguments.to)
    if TERMINAL in runs:
        of_terminal(runs[TERMINAL], arguments.to)
    curves = [path for name, path in sorted(runs.items()) if name.startswith(CURVE)]
    if curves:
        of_curve(curves, arguments.to)
    shots = sorted(arguments.live.glob("live-*.png")) if arguments.live else []
    for shot in shots:
        of_live_page(shot, arguments.to)
    lacking = [f"a run of {name}" for name in REPORTS if name not in runs]
    lacking += [] if curves else [f"a run of {CURVE}"]
    lacking += [] if shots else ["screenshots of the live page (--live)"]
    if lacking:
        print(f"not made, because these are missing: {', '.join(lacking)}")


if __name__ == "__main__":
    main()
