"""Images of containers as root file systems: fetched by skopeo, unpacked by umoci, both without root.

Sources: skopeo(1), containers-transports(5), umoci-unpack(1), the OCI image specification.
"""

import json
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fivenines.errors import FiveninesError

# The kernel's words for processors in those of images (GOARCH).
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}

# Registries on this machine have no certificate, as for Docker.
_HERE = ("localhost", "127.0.0.1", "[::1]")

_PATIENCE = 3600.0


@dataclass(frozen=True)
class Unpacked:
    """An image's root, and the digest of its manifest."""

    root: Path
    digest: str


def transport(reference: str) -> str:
    """An image as skopeo calls it: of a registry, of a folder (`oci:`), or of an archive.

    A folder or archive is named absolutely, so that it means the same from anywhere.
    """
    kind, colon, rest = reference.partition(":")
    if colon and kind in ("oci", "oci-archive", "docker-archive"):
        path, tag = _tagged(rest)
        return f"{kind}:{Path(path).expanduser().absolute()}{tag}"
    return f"docker://{reference.removeprefix('docker://')}"


def unpack(reference: str, scratch: Path) -> Unpacked:
    """Fetch an image into a scratch folder, and unpack it there.

    Args:
        reference: as a person writes it: `docker.io/library/mysql:8.4`, or `oci:FOLDER[:TAG]`.
        scratch: an empty folder.

    Raises:
        FiveninesError: it cannot be fetched, is damaged, or is for another machine; says what to do.
    """
    require_tools()
    kept = f"oci:{scratch / 'image'}:it"
    source = transport(reference)
    insecure = ["--src-tls-verify=false"] if source.startswith("docker://") and _is_here(source) else []
    _run(["skopeo", "--insecure-policy", "copy", "--quiet", *insecure, source, kept], reference)
    _require_platform(kept, reference)
    _run(
        ["umoci", "unpack", "--rootless", "--image", f"{scratch / 'image'}:it", str(scratch / "bundle")],
        reference,
    )
    return Unpacked(scratch / "bundle" / "rootfs", _digest(scratch / "image"))


def require_tools() -> None:
    """Refuse where the programs are missing.

    Raises:
        FiveninesError: with the command that installs them.
    """
    missing = [program for program in ("skopeo", "umoci") if shutil.which(program) is None]
    if missing:
        raise FiveninesError(
            f"images take {' and '.join(missing)}: run `apt-get install {' '.join(missing)}` as root"
        )


def _tagged(text: str) -> tuple[str, str]:
    path, colon, tag = text.rpartition(":")
    return (path, f":{tag}") if colon and "/" not in tag else (text, "")


def _is_here(source: str) -> bool:
    host = source.removeprefix("docker://").partition("/")[0]
    return any(host == one or host.startswith(f"{one}:") for one in _HERE)


def _require_platform(kept: str, reference: str) -> None:
    answer = _run(["skopeo", "inspect", "--config", kept], reference)
    config = json.loads(answer)
    machine = platform.machine()
    wanted = ("linux", _ARCHITECTURES.get(machine, machine))
    found = (config.get("os", ""), config.get("architecture", ""))
    if found != wanted:
        raise FiveninesError(
            f"{reference} is an image for {'/'.join(found)}, and this machine is {'/'.join(wanted)}: "
            "name one for this machine"
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
        raise FiveninesError(f"{reference}: {command[0]} took more than an hour") from None
    if done.returncode != 0:
        raise FiveninesError(f"{reference}: {command[0]} cannot fetch or unpack it: {_why(done.stderr)}")
    return done.stdout


def _why(said: str) -> str:
    """The last message of a Go program's log, without its decoration."""
    lines = [line for line in said.splitlines() if line.strip()]
    last = lines[-1] if lines else "it says nothing"
    match = re.search(r'msg="((?:[^"\\]|\\.)*)"', last)
    return (match[1].replace('\\"', '"') if match else last)[:400]
