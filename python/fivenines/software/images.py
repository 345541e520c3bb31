"""Convert container images to root file systems: skopeo fetches, umoci unpacks, both without root.

Sources: skopeo(1), containers-transports(5), umoci-unpack(1), the OCI image specification.
"""

import json
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError

# Names of architectures in images (GOARCH), by the kernel's names.
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}

# Registries on this machine need no certificate, as with Docker.
_HERE = ("localhost", "127.0.0.1", "[::1]")

_PATIENCE = 3600.0


@dataclass(frozen=True)
class Unpacked:
    """The unpacked root of an image, and the digest of its manifest."""

    root: Path
    digest: str


def transport(reference: str) -> str:
    """Return skopeo's name of an image in a registry, a folder (`oci:`) or an archive.

    Paths of folders and archives become absolute.
    """
    kind, colon, rest = reference.partition(":")
    if colon and kind in ("oci", "oci-archive", "docker-archive"):
        path, tag = _tagged(rest)
        return f"{kind}:{Path(path).expanduser().absolute()}{tag}"
    return f"docker://{reference.removeprefix('docker://')}"


def unpack(reference: str, scratch: Path) -> Unpacked:
    """Fetch an image into a scratch folder and unpack it there.

    Args:
        reference: `docker.io/library/mysql:8.4`, or `oci:FOLDER[:TAG]`.
        scratch: an empty folder.

    Raises:
        FiveninesError: the image cannot be fetched, is damaged, or is for another architecture.
    """
    require_tools()
    copied = f"oci:{scratch / 'image'}:it"
    source = transport(reference)
    insecure = ["--src-tls-verify=false"] if source.startswith("docker://") and _is_here(source) else []
    _run(["skopeo", "--insecure-policy", "copy", "--quiet", *insecure, source, copied], reference)
    _require_platform(copied, reference)
    _run(
        ["umoci", "unpack", "--rootless", "--image", f"{scratch / 'image'}:it", str(scratch / "bundle")],
        reference,
    )
    return Unpacked(scratch / "bundle" / "rootfs", _digest(scratch / "image"))


def require_tools() -> None:
    """Check that skopeo and umoci are installed.

    Raises:
        FiveninesError: a program is missing; with the command to install it.
    """
    missing = [program for program in ("skopeo", "umoci") if shutil.which(program) is None]
    if missing:
        raise FiveninesError(
            f"images need {' and '.join(missing)}: run `sudo apt-get install {' '.join(missing)}`"
        )


def _tagged(text: str) -> tuple[str, str]:
    path, colon, tag = text.rpartition(":")
    return (path, f":{tag}") if colon and "/" not in tag else (text, "")


def _is_here(source: str) -> bool:
    host = source.removeprefix("docker://").partition("/")[0]
    return any(host == local or host.startswith(f"{local}:") for local in _HERE)


def _require_platform(copied: str, reference: str) -> None:
    answer = _run(["skopeo", "inspect", "--config", copied], reference)
    config = json.loads(answer)
    machine = platform.machine()
    ours = ("linux", _ARCHITECTURES.get(machine, machine))
    theirs = (config.get("os", ""), config.get("architecture", ""))
    if theirs != ours:
        raise FiveninesError(
            f"{reference} is an image for {'/'.join(theirs)}, but this machine is {'/'.join(ours)}: "
            "choose an image for this machine"
        )


def _digest(image: Path) -> str:
    index = json.loads((image / "index.json").read_text())
    return str(index["manifests"][0]["digest"])


def _run(command: list[str], reference: str) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise FiveninesError(f"{reference}: {command[0]} did not end within an hour") from None
    if done.returncode != 0:
        raise FiveninesError(f"{reference}: {command[0]} failed: {_why(done.stderr)}")
    return done.stdout


def _why(output: str) -> str:
    """Return the last message in a Go program's log, without time and level."""
    lines = [line for line in output.splitlines() if line.strip()]
    last = lines[-1] if lines else "no message"
    match = re.search(r'msg="((?:[^"\\]|\\.)*)"', last)
    return (match[1].replace('\\"', '"') if match else last)[:400]
