"""What a user brings as files in a tree: the root of an image, or what an archive has."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Literal

from fivenines.software import archives, images
from fivenines.software.base import Report


def unpack(kind: Literal["image", "archive"], where: str, tree: Path, report: Report) -> str:
    """Fetch and unpack it into `tree`, which does not exist yet; the checksum of what it was.

    Raises:
        FiveninesError: it cannot be fetched or unpacked; says what to do.
    """
    inside = _is_image(Path(where)) if kind == "archive" else ""
    if kind == "archive" and not inside:
        return _of_archive(Path(where), tree, report)
    scratch = tree.parent / "scratch"
    scratch.mkdir()
    try:
        report(f"fetching {where}", None)
        found = images.unpack(f"{inside}:{where}" if inside else where, scratch)
        report("looking at what is in it", 0.9)
        found.root.rename(tree)
        _tidy(tree)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", str(scratch)], check=False, capture_output=True)
        shutil.rmtree(scratch, ignore_errors=True)
    return found.digest


def _of_archive(archive: Path, tree: Path, report: Report) -> str:
    report(f"checking {archive.name}", 0.1)
    digest = archives.checksum(archive)
    report(f"unpacking {archive.name}", 0.3)
    archives.unpack(archive, tree, "--no-same-owner")
    _lift(tree)
    _tidy(tree)
    return f"sha256:{digest}"


def _is_image(archive: Path) -> str:
    """The transport of an archive that is an image: `oci-archive`, `docker-archive`; empty: it is none."""
    try:
        with tarfile.open(archive) as packed:
            for _ in range(50):
                member = packed.next()
                if member is None:
                    break
                name = member.name.removeprefix("./")
                if name == "oci-layout":
                    return "oci-archive"
                if name == "manifest.json" and _lists_images(packed, member):
                    return "docker-archive"
    except (OSError, tarfile.TarError):
        pass
    return ""


def _lists_images(packed: tarfile.TarFile, manifest: tarfile.TarInfo) -> bool:
    """Whether it is the list of `docker save`; other programs have a file of that name, too."""
    stream = packed.extractfile(manifest)
    try:
        found = json.load(stream) if stream is not None else None
    except ValueError:
        return False
    return isinstance(found, list) and all(isinstance(one, dict) and "Config" in one for one in found)


def _lift(tree: Path) -> None:
    """An installation in one folder of an archive becomes the tree itself."""
    inside = list(tree.iterdir())
    if len(inside) != 1 or not inside[0].is_dir() or inside[0].name in ("usr", "bin", "opt"):
        return
    moved = tree.with_name("lifted")
    inside[0].rename(moved)
    tree.rmdir()
    moved.rename(tree)


def _tidy(tree: Path) -> None:
    # hosts see the machine's devices; what an image has there nobody could copy or count
    if (tree / "dev").is_dir() and not (tree / "dev").is_symlink():
        subprocess.run(["chmod", "-R", "u+rwX", str(tree)], check=False, capture_output=True)
        shutil.rmtree(tree / "dev", ignore_errors=True)
        (tree / "dev").mkdir(exist_ok=True)
