#!/usr/bin/env python3
"""Run public third-party sysbench scripts by sysbench and by fivenines on one server, and compare.

    make compat

`scripts.txt` lists repository, version, path and options of each script. They are fetched into a temporary
folder together with the Lua files next to them; unavailable ones are listed. The folder `scripts` has one
script of each kind, written for this project: those always run, here and in the lab's tests. For each script
a line reports whether the server counted the same statements, both programs met the same errors, and a
sleeping script took about as long. The exit code is 1 if one differs.

COMPAT_MIRROR names a folder with the repositories to use instead, as OWNER+NAME/PATH.
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
sys.path[:0] = [str(HERE.parent / "lab/support"), str(HERE.parent / "unit/support")]

from lab_scripts import Compared, Place, standalone  # noqa: E402  (from the folder that was just added)

EVENTS = 20
# For scripts that sleep, the range of our time as multiples of sysbench's time.
SHORTER, LONGER = 0.7, 3.0

# A script's name, its file if available, and its options.
Asked = tuple[str, Path | None, tuple[str, ...]]

# Seconds within which a file must be fetched.
PATIENCE = 20.0


@dataclass(frozen=True)
class Entry:
    """Describe a third-party script, with the options that keep its tables small."""

    repository: str
    version: str
    path: str
    options: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.repository} {self.path}"


def listed() -> list[Entry]:
    """Return the scripts of scripts.txt."""
    lines = (HERE / "scripts.txt").read_text().splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    return [Entry(word[0], word[1], word[2], tuple(word[3:])) for word in words]


def placed(entry: Entry, folder: Path) -> Path | None:
    """Fetch a script with the files next to it; return None if unavailable."""
    if mirror := os.environ.get("COMPAT_MIRROR"):
        found = Path(mirror) / entry.repository.replace("/", "+") / entry.path
        return found if found.is_file() else None
    at = entry.path.rpartition("/")[0]
    target = folder / entry.repository.replace("/", "+") / entry.version / at
    target.mkdir(parents=True, exist_ok=True)
    try:
        for name in _siblings(entry, at):
            if not (target / name).exists():
                (target / name).write_bytes(_got(f"{_raw(entry)}/{at}/{name}"))
    except (OSError, ValueError, urllib.error.URLError):
        return None
    script = target / Path(entry.path).name
    return script if script.is_file() else None


def _raw(entry: Entry) -> str:
    return f"https://raw.githubusercontent.com/{entry.repository}/{entry.version}"


def _siblings(entry: Entry, folder: str) -> list[str]:
    address = f"https://api.github.com/repos/{entry.repository}/contents/{folder}"
    entries = json.loads(_got(f"{address}?ref={entry.version}"))
    return [one["name"] for one in entries if one["name"].endswith(".lua")]


def _got(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return bytes(answer.read())


def verdict(place: Place, script: Path, options: tuple[str, ...], out: Path) -> str:
    """Run a script by both programs; return `same`, or the difference."""
    try:
        compared = place.compare(script, out, *options, events=EVENTS, prepares=True)
    except AssertionError as error:
        if "does not implement the 'prepare' command" not in str(error):
            who = "sysbench fails" if str(error).startswith("['sysbench'") else "fails"
            return f"{who}: {' '.join(str(error).split())[-300:]}"
        compared = place.compare(script, out, *options, events=EVENTS, prepares=False)
    text = script.read_text(errors="replace")
    return judged(compared, sleeps="sleep" in text, catches="pcall" in text)


def judged(compared: Compared, *, sleeps: bool, catches: bool = False) -> str:
    """Compare statements, errors, and the time of a sleeping script; return `same`, or the difference.

    `catches`: the script catches errors. sysbench counts these as ignored; fivenines counts no failed event.
    """
    theirs, ours = compared.reported
    if not theirs.codes <= ours.codes:
        return f"errors differ: sysbench {_listed(theirs.codes)}, fivenines {_listed(ours.codes)}"
    counts = [("prepare", compared.prepared)]
    counts += [] if compared.ended_by_error else [("run", compared.ran)]
    for what, (one, other) in counts:
        if one != other:
            return f"{what} differs: sysbench {_shown(one)}, fivenines {_shown(other)}"
    most_failures = theirs.errors
    least_failures = 0 if catches else theirs.errors
    if not theirs.codes and not least_failures <= ours.errors <= most_failures:
        return f"failures differ: sysbench {theirs.errors}, fivenines {ours.errors}"
    # A sleeping script cannot end earlier; on a busy machine it may end later.
    least, most = theirs.seconds * SHORTER, theirs.seconds * LONGER + 1.0
    if sleeps and theirs.seconds and not least <= ours.seconds <= most:
        return f"time differs: sysbench {theirs.seconds:.2f} s, fivenines {ours.seconds:.2f} s"
    return "same"


def _listed(codes: frozenset[str]) -> str:
    return ", ".join(sorted(codes)) or "none"


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
            every += [(entry.name, placed(entry, folder), entry.options) for entry in listed()]
            for number, (name, script, options) in enumerate(every):
                if script is None:
                    absent += 1
                    print(f"not to be had   {name}", flush=True)
                    continue
                result = verdict(place, script, options, folder / f"out{number}")
                differ += result != "same"
                print(f"{result:15} {name}", flush=True)
    print(f"{len(every)} scripts: {differ} differ, {absent} could not be had")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
