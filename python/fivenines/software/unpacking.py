"""Unpack custom software into a tree: the root of an image, or the contents of an archive."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Literal

from fivenines.software import archives, images
from fivenines.software.base import Report


def unpack(kind: Literal["image", "archive"], where: str, tree: Path, report: Report) -> str:
    """Fetch and unpack an image or archive into `tree`, which does not exist yet; return its checksum.

    Raises:
        FiveninesError: it cannot be fetched or unpacked; the message has the remedy.
    """
    inside = _is_image(Path(where)) if kind == "archive" else ""
    if kind == "archive" and not inside:
        return _of_archive(Path(where), tree, report)
    scratch = tree.parent / "scratch"
    scratch.mkdir()
    try:
        report(f"fetching {where}", None)
        unpacked = images.unpack(f"{inside}:{where}" if inside else where, scratch)
        report("examining the contents", 0.9)
        unpacked.root.rename(tree)
        _tidy(tree)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", str(scratch)], check=False, capture_output=True)
        shutil.rmtree(scratch, ignore_errors=True)
    return unpacked.digest


def _of_archive(archive: Path, tree: Path, report: Report) -> str:
    report(f"checking {archive.name}", 0.1)
    digest = archives.checksum(archive)
    report(f"unpacking {archive.name}", 0.3)
    archives.unpack(archive, tree, "--no-same-owner")
    _lift(tree)
    _tidy(tree)
    return f"sha256:{digest}"


def _is_image(archive: Path) -> str:
    """Return the transport of an archive with an image: `oci-archive` or `docker-archive`; else empty."""
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
    """Return whether a manifest is that of `docker save`; other programs also use this file name."""
    stream = packed.extractfile(manifest)
    try:
        listed = json.load(stream) if stream is not None else None
    except ValueError:
        return False
    return isinstance(listed, list) and all(isinstance(item, dict) and "Config" in item for item in listed)


def _lift(tree: Path) -> None:
    """Move the contents of an archive's only folder up into the tree."""
    inside = list(tree.iterdir())
    if len(inside) != 1 or not inside[0].is_dir() or inside[0].name in ("usr", "bin", "opt"):
        return
    moved = tree.with_name("lifted")
    inside[0].rename(moved)
    tree.rmdir()
    moved.rename(tree)


def _tidy(tree: Path) -> None:
    # Hosts use the machine's devices. Device nodes of an image cannot be copied.
    if (tree / "dev").is_dir() and not (tree / "dev").is_symlink():
        subprocess.run(["chmod", "-R", "u+rwX", str(tree)], check=False, capture_output=True)
        shutil.rmtree(tree / "dev", ignore_errors=True)
        (tree / "dev").mkdir(exist_ok=True)
