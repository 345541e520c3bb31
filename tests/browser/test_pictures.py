"""The pictures of the documentation: made by one command from runs, and small."""

import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

from synthetic_run import QUICKSTART, write_run

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"


def png(width: int, height: int) -> bytes:
    """A black picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\0" * width) * height)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_pictures_are_made_of_the_existing_runs(tmp_path: Path) -> None:
    for folder in ("runs", "live", "images"):
        (tmp_path / folder).mkdir()
    write_run(tmp_path / "runs" / "two", replace(QUICKSTART, name="quickstart"))
    (tmp_path / "live" / "live-390.png").write_bytes(png(390, 844))
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "pictures.py", "runs", "--live", "live", "--to", "images"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    made = {path.name: path.read_bytes() for path in (tmp_path / "images").iterdir()}
    shots = {"live-390.webp", "report-quickstart-1280.webp", "report-quickstart-390.webp"}
    assert set(made) == {*shots, "terminal.svg"}
    assert all(made[name][8:12] == b"WEBP" for name in shots)
    terminal = made["terminal.svg"].decode()
    assert "@font-face" not in terminal and "results&#160;show&#160;two" in terminal
    assert "because these are missing: a run of managers, a run of wan, a run of tolerate\n" in done.stdout


def test_committed_pictures_are_small() -> None:
    sizes = {picture.name: picture.stat().st_size for picture in IMAGES.iterdir()}
    assert sizes and [name for name, size in sizes.items() if size > 150_000] == []
