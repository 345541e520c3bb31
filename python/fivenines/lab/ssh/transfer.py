"""Send our program, engines and data sets to a machine once; check the cached copies at each use."""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

# Callback for progress messages.
Tell = Callable[[str], None]

# Names of subfolders of an engine's folder.
_IN_ENGINES = ("tree", "root")

# Time limit in seconds to send a large folder.
_LONG = 3600.0

# Digest of a folder's contents by names, sizes and kinds; same result as `listing` here.
_LISTED = "find . -mindepth 1 ! -type d -printf '%P\\t%s\\t%y\\n' | LC_ALL=C sort | sha256sum"


def listing(folder: Path) -> str:
    """Return a digest of a folder's contents, by names, sizes and kinds."""
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
    """Return the path of our program on a machine; send it unless a complete copy exists there."""
    binary = core_binary()
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    target = f"{folder}/core/{digest[:16]}/{binary.name}"
    if _digest_of(to, target) != digest:
        script = 'mkdir -p "${1%/*}" && cat > "$1.part" && chmod 755 "$1.part" && mv "$1.part" "$1"'
        to.feed(["sh", "-c", script, "sh", target], ["cat", str(binary)], _LONG)
        if _digest_of(to, target) != digest:
            raise FiveninesError(f"{to.name}: the copy of fivenines-core is incomplete: try again")
    return target


def _digest_of(on: Connection, path: str) -> str:
    return on.run(["sha256sum", path]).output.partition(" ")[0]


def tree(to: Connection, core: str, folder: str, kind: str, source: Path, tell: Tell = lambda _: None) -> str:
    """Return the path of a folder's copy on a machine; send it unless a complete copy exists there.

    Args:
        to: connection to the machine.
        core: path of our program there.
        folder: folder there that fivenines can write to.
        kind: `engines` or `data`.
        source: the folder here.
        tell: called with a progress message if the folder is sent.

    Raises:
        FiveninesError: the folder could not be sent, or the copy is incomplete.
    """
    expected = listing(source)
    target = f"{folder}/{kind}/{expected[:16]}"
    if _digest_of_folder(to, target) == expected:
        return target
    tell(f"sending {_called(source)} to {to.name}, {_megabytes(source)} MB")
    owners = [] if os.geteuid() == 0 and kind == "engines" else ["--owner=0", "--group=0"]
    reads = ["tar", "--create", "--numeric-owner", *owners, f"--directory={source}", "--file=-", "."]
    received, digest = to.feed([core, "remote", "receive", f"--into={target}.part"], reads, _LONG)
    if received.strip() != digest or _digest_of_folder(to, f"{target}.part") != expected:
        raise FiveninesError(f"{to.name}: the copy of {source} is incomplete: try again")
    script = 'rm -rf "$1" && mv "$1.part" "$1" && chmod 755 "$1"'
    to.need(["sh", "-c", script, "sh", target])
    return target


def _called(source: Path) -> str:
    """Return the name of a folder; an engine is named by its folder, not by the tree in it."""
    return source.parent.name if source.name in _IN_ENGINES else source.name


def _megabytes(folder: Path) -> int:
    files = (path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    return round(sum(files) / 1e6)


def _digest_of_folder(on: Connection, folder: str) -> str:
    done = on.run(["sh", "-c", f'cd "$1" 2>/dev/null && {_LISTED}', "sh", folder])
    return done.output.partition(" ")[0] if done.code == 0 else ""
