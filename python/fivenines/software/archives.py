"""Archives that a user hands over: their checksum, and unpacking them."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from fivenines.errors import FiveninesError


def checksum(archive: Path) -> str:
    """Its SHA-256.

    Raises:
        FiveninesError: it cannot be read.
    """
    try:
        with archive.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FiveninesError(f"{archive} cannot be read: {error.strerror}") from error


def unpack(archive: Path, tree: Path, *options: str) -> None:
    """Unpack it into a new folder, with further options of tar.

    Raises:
        FiveninesError: it cannot be unpacked; with what it takes.
    """
    tree.mkdir()
    command = ["tar", "--extract", "--file", str(archive), "--directory", str(tree)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()[-1:]
        advice = ""
        if archive.suffix == ".zst" and shutil.which("zstd") is None:
            advice = ": it takes zstd, run `apt-get install zstd` as root"
        raise FiveninesError(f"tar cannot unpack {archive}{advice or ': ' + ''.join(words)}")
