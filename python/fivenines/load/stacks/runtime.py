"""The packages of a stack's program, fetched once into the cache and used without a network afterwards."""

import subprocess
import sys
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import CachedEngine, Report

PROGRAMS = Path(str(resources.files("fivenines.load.stacks"))) / "programs"


class Runtime(CachedEngine):
    """Packages in the cache; built, checked and removed as engines are."""

    family = "none"

    def root(self) -> Root:
        return Root()

    def program(self, name: str) -> str:
        return str(self.tree / name)


class PythonRuntime(Runtime):
    """Packages of `programs/python/requirements.txt`, for the Python that fivenines itself runs on."""

    name: ClassVar[str] = f"stacks-python{sys.version_info.major}.{sys.version_info.minor}"
    description = "drivers and pools of the Python client stacks, from PyPI"

    def command(self, kind: str) -> list[str]:
        """Return the command line of a stack's program."""
        start = f"import sys; sys.path.insert(0, {str(self.tree)!r}); sys.path.insert(0, {str(_PYTHON)!r})"
        return [sys.executable, "-I", "-c", f"{start}; from stack_program.main import main; main({kind!r})"]

    def build(self, tree: Path, report: Report) -> str:
        report("fetching the packages from PyPI", None)
        wanted = _REQUIREMENTS.read_text()
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        only = ["--only-binary", ":all:", "--target", str(tree), "--requirement", str(_REQUIREMENTS)]
        done = subprocess.run([*pip, *only], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise FiveninesError(f"the packages of the Python stacks could not be installed: {last}")
        return wanted.strip().replace("\n", ", ")

    @property
    def file_name(self) -> str:
        # Other versions of the packages are another folder, so that a new fivenines never uses old ones.
        return f"{self.name}-{sha256(_REQUIREMENTS.read_bytes()).hexdigest()[:8]}"


_PYTHON = PROGRAMS / "python"
_REQUIREMENTS = _PYTHON / "requirements.txt"
