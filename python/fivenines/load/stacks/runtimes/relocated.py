"""Programs of a Debian root that run outside it: with the libraries and the loader of the root.

The machine's files are seen as usual, and neither an own root nor a namespace is needed. The machine can have
another C library, or an older one.
"""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from fivenines.base.errors import FiveninesError

_LOADER = "loader"


def libraries(tree: Path, programs: Iterable[Path], into: Path) -> None:
    """Copy the loader of a tree, and all libraries of the tree that programs need, into a new folder.

    Args:
        programs: programs and libraries in the tree.

    Raises:
        FiveninesError: a library is missing.
    """
    loaders = sorted(tree.glob("usr/lib/*-linux-gnu*/ld-linux*.so*"))
    if not loaders:
        raise FiveninesError(f"there is no loader in {tree}")
    into.mkdir()
    folder = loaders[0].parent
    programs = list(programs)
    path = ":".join(dict.fromkeys(map(str, [folder, *(program.parent for program in programs)])))
    for program in programs:
        command = [str(loaders[0]), "--library-path", path, "--list", str(program)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode != 0 or "not found" in answer.stdout:
            raise FiveninesError(f"libraries of {program.name} are missing: {answer.stdout}{answer.stderr}")
        for line in answer.stdout.splitlines():
            library = Path(line.partition("=>")[2].partition("(")[0].strip())
            if library.parent == folder:
                shutil.copy(library, into / line.split()[0].rpartition("/")[2])
    shutil.copy(loaders[0], into / _LOADER)


def started(folder: Path, program: Path) -> list[str]:
    """Return the command line of a program with the libraries of a folder."""
    return [str(folder / _LOADER), "--library-path", str(folder), str(program)]


def copied(tree: Path, folder: Path, into: Path) -> None:
    """Copy a folder of a tree; links are followed within the tree, and dropped if they lead nowhere."""
    into.mkdir(parents=True)
    for path in sorted(folder.iterdir()):
        target = path
        while target.is_symlink():
            link = target.readlink()
            target = tree / str(link).lstrip("/") if link.is_absolute() else target.parent / link
        if target.is_dir():
            copied(tree, target, into / path.name)
        elif target.is_file():
            shutil.copy(target, into / path.name)
