#!/usr/bin/env python3
"""Run public sysbench scripts of third parties with sysbench and with fivenines on one server.

    make compat

`scripts.txt` lists them: repository, version, path, options. They are fetched into a temporary folder, with
the Lua files in the same folder; unavailable scripts are listed. The folder `scripts` has one script of each
kind, written for this project; these always run, here and in the lab tests. A line per script shows whether
the server counted the same statements. The exit code is 1 if one differs.

COMPAT_MIRROR can name a folder with the repositories, as OWNER+NAME/PATH.
"""

import json
import os
import sys
import tempfile
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "lab"), str(HERE.parent / "unit/support")]

from lab_scripts import Place, standalone  # noqa: E402  (from the folder that was just added)

EVENTS = 20
# A script's name, its file if it is available, its options.
Asked = tuple[str, Path | None, tuple[str, ...]]

# Time limit of a download, in seconds.
PATIENCE = 20.0


@dataclass(frozen=True)
class Entry:
    """A third-party script, and the options that keep its tables small."""

    repository: str
    version: str
    path: str
    options: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.repository} {self.path}"


def listed() -> list[Entry]:
    """Return the scripts in scripts.txt."""
    lines = (HERE / "scripts.txt").read_text().splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return [Entry(one[0], one[1], one[2], tuple(one[3:])) for one in words]


def placed(entry: Entry, folder: Path) -> Path | None:
    """Return the script after fetching it with all files of its folder; None if it is unavailable."""
    if mirror := os.environ.get("COMPAT_MIRROR"):
        found = Path(mirror) / entry.repository.replace("/", "+") / entry.path
        return found if found.is_file() else None
    at = entry.path.rpartition("/")[0]
    target = folder / entry.repository.replace("/", "+") / entry.version / at
    target.mkdir(parents=True, exist_ok=True)
    try:
        for name in _beside(entry, at):
            if not (target / name).exists():
                (target / name).write_bytes(_got(f"{_raw(entry)}/{at}/{name}"))
    except (OSError, ValueError, urllib.error.URLError):
        return None
    script = target / Path(entry.path).name
    return script if script.is_file() else None


def _raw(entry: Entry) -> str:
    return f"https://raw.githubusercontent.com/{entry.repository}/{entry.version}"


def _beside(entry: Entry, folder: str) -> list[str]:
    address = f"https://api.github.com/repos/{entry.repository}/contents/{folder}"
    found = json.loads(_got(f"{address}?ref={entry.version}"))
    return [one["name"] for one in found if one["name"].endswith(".lua")]


def _got(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return bytes(answer.read())


def verdict(place: Place, script: Path, options: tuple[str, ...], out: Path) -> str:
    """`same`, or what differs."""
    try:
        compared = place.compare(script, out, *options, events=EVENTS, prepares=True)
    except AssertionError as error:
        if "does not implement the 'prepare' command" not in str(error):
            who = "sysbench fails" if str(error).startswith("['sysbench'") else "fails"
            return f"{who}: {' '.join(str(error).split())[-300:]}"
        compared = place.compare(script, out, *options, events=EVENTS, prepares=False)
    for what, (theirs, ours) in (("prepare", compared.prepared), ("run", compared.ran)):
        if theirs != ours:
            return f"{what} differs: sysbench {_shown(theirs)}, fivenines {_shown(ours)}"
    return "same"


def _shown(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "nothing"


def main() -> int:
    differ, absent = 0, 0
    with tempfile.TemporaryDirectory(prefix="fivenines-compat-") as made:
        folder = Path(made)
        (folder / "lab").mkdir()
        with standalone("mariadb-10.11", folder / "lab") as place:
            own = sorted((HERE / "scripts").glob("*.lua"))
            every: list[Asked] = [(script.name, script, ()) for script in own]
            every += [(one.name, placed(one, folder), one.options) for one in listed()]
            for number, (name, script, options) in enumerate(every):
                if script is None:
                    absent += 1
                    print(f"unavailable     {name}", flush=True)
                    continue
                result = verdict(place, script, options, folder / f"out{number}")
                differ += result != "same"
                print(f"{result:15} {name}", flush=True)
    print(f"{len(every)} scripts: {differ} differ, {absent} unavailable")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
