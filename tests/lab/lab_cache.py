"""Caches of a test's own: with a playground that nobody else uses, and engines and data sets of ours."""

import subprocess
from pathlib import Path

from fivenines import paths
from fivenines.software.store import engine


def with_engine(folder: Path, name: str) -> Path:
    """A cache below a folder with a copy of this engine, which can be removed, and no data sets."""
    one = engine(name)
    one.require(lambda _message, _fraction: None)
    cache = folder / "cache"
    cache.mkdir(mode=0o700)
    (cache / "engines").mkdir()
    source, target = one.folder, cache / "engines"  # type: ignore[attr-defined]
    # hard links where it is one file system: removing them leaves the others as they are
    if subprocess.run(["cp", "-al", source, target], check=False).returncode != 0:
        subprocess.run(["cp", "-a", source, target], check=True)
    return cache


def with_our(folder: Path, *parts: str) -> Path:
    """A cache below a folder, made where it is not there, whose `engines` or `data` are ours."""
    cache = folder / "cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    for part in parts:
        ours = paths.cache() / part
        ours.mkdir(mode=0o700, parents=True, exist_ok=True)
        (cache / part).symlink_to(ours)
    return cache
