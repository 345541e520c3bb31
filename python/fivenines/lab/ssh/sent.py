"""What is sent to a machine once and kept there: our program, engines, data sets. Checked at each use."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

Tell = Callable[[str], None]
"""Hears what takes its time."""

_IN_ENGINES = ("tree", "root")
"""Names of folders in that of an engine."""

_LONG = 3600.0
"""Seconds until a large folder must be there."""

_LISTED = "find . -mindepth 1 ! -type d -printf '%P\\t%s\\t%y\\n' | LC_ALL=C sort | sha256sum"
"""What a folder holds, by names, sizes and kinds; as `listing` does here."""


def listing(folder: Path) -> str:
    """The digest of what a folder holds, by names, sizes and kinds."""
    lines = []
    for top, folders, files in os.walk(folder):
        links = [name for name in folders if Path(top, name).is_symlink()]
        for path in (Path(top, name) for name in (*links, *files)):
            lines.append(_line(path, path.relative_to(folder)))
    return hashlib.sha256("".join(sorted(lines)).encode(errors="surrogateescape")).hexdigest()


def _line(path: Path, name: Path) -> str:
    about = path.lstat()
    kinds = {stat.S_IFREG: "f", stat.S_IFLNK: "l", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}
    kind = kinds.get(stat.S_IFMT(about.st_mode), "?")
    return f"{name}\t{about.st_size}\t{kind}\n"


def program(to: Connection, folder: str) -> str:
    """Our program's path on a machine, where it is sent unless it is there, whole."""
    binary = core_binary()
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    target = f"{folder}/core/{digest[:16]}/{binary.name}"
    if _digest_of(to, target) != digest:
        script = 'mkdir -p "${1%/*}" && cat > "$1.part" && chmod 755 "$1.part" && mv "$1.part" "$1"'
        to.feed(["sh", "-c", script, "sh", target], ["cat", str(binary)], _LONG)
        if _digest_of(to, target) != digest:
            raise FiveninesError(f"{to.name}: our program did not arrive whole")
    return target


def _digest_of(on: Connection, path: str) -> str:
    return on.run(["sha256sum", path]).output.partition(" ")[0]


def tree(to: Connection, core: str, folder: str, kind: str, source: Path, tell: Tell = lambda _: None) -> str:
    """The path of a copy of a folder on a machine, where it is sent unless it is there, whole.

    Args:
        to: the machine.
        core: our program there.
        folder: where fivenines may write there.
        kind: `engines` or `data`.
        source: the folder here.
        tell: told what is sent, if something is.

    Raises:
        FiveninesError: it could not be sent, or did not arrive whole.
    """
    held = listing(source)
    target = f"{folder}/{kind}/{held[:16]}"
    if _held(to, target) == held:
        return target
    tell(f"sending {_called(source)} to {to.name}, {_megabytes(source)} MB")
    owners = [] if os.geteuid() == 0 and kind == "engines" else ["--owner=0", "--group=0"]
    reads = ["tar", "--create", "--numeric-owner", *owners, f"--directory={source}", "--file=-", "."]
    told, digest = to.feed([core, "remote", "receive", f"--into={target}.part"], reads, _LONG)
    if told.strip() != digest or _held(to, f"{target}.part") != held:
        raise FiveninesError(f"{to.name}: {source} did not arrive whole: try again")
    script = 'rm -rf "$1" && mv "$1.part" "$1" && chmod 755 "$1"'
    to.need(["sh", "-c", script, "sh", target])
    return target


def _called(source: Path) -> str:
    """What an engine is known as is its folder's name, and not that of the tree in it."""
    return source.parent.name if source.name in _IN_ENGINES else source.name


def _megabytes(folder: Path) -> int:
    files = (path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    return round(sum(files) / 1e6)


def _held(on: Connection, folder: str) -> str:
    done = on.run(["sh", "-c", f'cd "$1" 2>/dev/null && {_LISTED}', "sh", folder])
    return done.output.partition(" ")[0] if done.code == 0 else ""
