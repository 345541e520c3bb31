"""Describe this machine, for the record of a run."""

import os
import platform
from pathlib import Path

import psutil

from fivenines.lab import limits
from fivenines.results.basics import Machine


def describe() -> Machine:
    """Return the machine's hardware, kernel and settings that can influence a result."""
    groups = limits.detect()
    return Machine(
        hostname=platform.node(),
        kernel=f"{platform.system()} {platform.release()}",
        os=_field(Path("/etc/os-release"), "PRETTY_NAME=").strip('"') or platform.system(),
        cpu=_field(Path("/proc/cpuinfo"), "model name").lstrip("\t: ") or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=psutil.virtual_memory().total,
        python=platform.python_version(),
        user="root" if os.geteuid() == 0 else "ordinary",
        limits="apply" if groups.usable else f"do not apply: {groups.reason}",
        congestion_control=_read(Path("/proc/sys/net/ipv4/tcp_congestion_control")),
    )


def _field(file: Path, start: str) -> str:
    for line in _read(file).splitlines():
        if line.startswith(start):
            return line.removeprefix(start)
    return ""


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""
