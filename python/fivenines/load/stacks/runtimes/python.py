"""Packages of the Python stacks, from PyPI."""

import sys
from pathlib import Path
from typing import ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.bound import pip
from fivenines.load.stacks.runtimes.base import PROGRAMS, Runtime
from fivenines.software.base import Report

_PYTHON = PROGRAMS / "python"
_REQUIREMENTS = _PYTHON / "requirements.txt"


class PythonRuntime(Runtime):
    """Packages of `programs/python/requirements.txt`, for the Python that fivenines itself runs on."""

    name: ClassVar[str] = f"stacks-python{sys.version_info.major}.{sys.version_info.minor}"
    description = "drivers and pools of the Python client stacks, from PyPI"
    sources = ("python/requirements.txt",)

    def command(self, kind: str) -> list[str]:
        start = f"import sys; sys.path.insert(0, {str(self.tree)!r}); sys.path.insert(0, {str(_PYTHON)!r})"
        return [sys.executable, "-I", "-c", f"{start}; from stack_program.main import main; main({kind!r})"]

    def build(self, tree: Path, report: Report) -> str:
        report("fetching the packages from PyPI", None)
        only = ["--only-binary", ":all:", "--target", str(tree), "--requirement", str(_REQUIREMENTS)]
        done = pip("install", "--disable-pip-version-check", *only)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise FiveninesError(f"the packages of the Python stacks could not be installed: {last}")
        return _REQUIREMENTS.read_text().strip().replace("\n", ", ")
