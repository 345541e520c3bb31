"""Make caches for single tests: with a separate running deployment, and with shared engines and data sets."""

import subprocess
from pathlib import Path

from fivenines.base import paths
from fivenines.software.store import engine


def with_engine(folder: Path, name: str) -> Path:
    """Return a cache below a folder with a removable copy of this engine and no data sets."""
    copied = engine(name)
    copied.require(lambda _message, _fraction: None)
    cache = folder / "cache"
    cache.mkdir(mode=0o700)
    (cache / "engines").mkdir()
    source, target = copied.folder, cache / "engines"  # type: ignore[attr-defined]
    # Hard links are used within one file system: removing them leaves the originals as they are.
    if subprocess.run(["cp", "-al", source, target], check=False).returncode != 0:
        subprocess.run(["cp", "-a", source, target], check=True)
    return cache


def with_our(folder: Path, *parts: str) -> Path:
    """Return a cache below a folder that shares `engines` or `data`. Creates it if missing."""
    cache = folder / "cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    for part in parts:
        ours = paths.cache() / part
        ours.mkdir(mode=0o700, parents=True, exist_ok=True)
        (cache / part).symlink_to(ours)
    return cache
