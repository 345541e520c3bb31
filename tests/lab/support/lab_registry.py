"""Run a real container registry on loopback, with images that are made here."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 30.0
_CONFIGURATION = """\
version: 0.1
storage:
  filesystem:
    rootdirectory: {folder}
http:
  addr: 127.0.0.1:{port}
"""


class Registry:
    """Control docker-registry, which can be ended and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self._port = listener.getsockname()[1]
        self._file = folder / "registry.yml"
        self._file.write_text(_CONFIGURATION.format(folder=folder / "kept", port=self._port))
        self._log = folder / "registry.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.begin()

    @property
    def address(self) -> str:
        """Return host and port."""
        return f"127.0.0.1:{self._port}"

    def begin(self) -> None:
        """Start it and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["docker-registry", "serve", str(self._file)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + _PATIENCE
        while True:
            with socket.socket() as listener:
                if listener.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            assert time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.05)

    def end(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def push(self, image: str, name: str) -> str:
        """Push an image of a layout and return its reference."""
        reference = f"{self.address}/{name}"
        run(
            "skopeo",
            "--insecure-policy",
            "copy",
            "--quiet",
            "--dest-tls-verify=false",
            f"oci:{image}",
            f"docker://{reference}",
        )
        return reference


@contextmanager
def registry(folder: Path) -> Iterator[Registry]:
    """Run a registry for the duration of the context."""
    folder.mkdir(parents=True)
    found = Registry(folder)
    try:
        yield found
    finally:
        found.end()


def image_of(layout: Path, tree: Path) -> str:
    """Make an image with one layer that contains a folder."""
    if not layout.exists():
        run("umoci", "init", "--layout", str(layout))
    run("umoci", "new", "--image", f"{layout}:it")
    run("umoci", "insert", "--rootless", "--image", f"{layout}:it", str(tree), "/")
    return f"{layout}:it"


def layered(image: str, file: Path, at: str, without: str) -> None:
    """Add a layer with a file and a layer that removes one."""
    run("umoci", "insert", "--rootless", "--image", image, str(file), at)
    run("umoci", "insert", "--rootless", "--image", image, "--whiteout", without)


def for_another_machine(image: str) -> None:
    """Declare an image as made for another processor architecture."""
    run("umoci", "config", "--image", image, "--architecture", "s390x")


def damage(layout: Path) -> None:
    """Change a byte of the largest blob."""
    blob = max((layout / "blobs/sha256").iterdir(), key=lambda path: path.stat().st_size)
    content = bytearray(blob.read_bytes())
    content[len(content) // 2] ^= 0xFF
    blob.chmod(0o600)
    blob.write_bytes(content)


def run(*command: str) -> None:
    """Run a program to completion."""
    assert shutil.which(command[0]), f"{command[0]} is missing: make tools"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
