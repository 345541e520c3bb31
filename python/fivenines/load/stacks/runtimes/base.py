"""What a stack's program needs, in the cache; built, checked and removed as engines are."""

import inspect
from abc import abstractmethod
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import ClassVar

from fivenines.lab.host import Root
from fivenines.software.base import CachedEngine

PROGRAMS = Path(str(resources.files("fivenines.load.stacks"))) / "programs"


class Runtime(CachedEngine):
    """Programs or packages of one language in the cache."""

    family = "none"

    # Files from which the runtime is built, as patterns below `PROGRAMS`.
    sources: ClassVar[tuple[str, ...]]

    @abstractmethod
    def command(self, kind: str) -> list[str]:
        """Return the command line of a stack's program."""

    @property
    def file_name(self) -> str:
        # Other sources, or another way to build them, are another folder, so that a new fivenines never uses
        # old programs or packages.
        digest = sha256()
        for file in (*self.files(), Path(inspect.getfile(type(self)))):
            digest.update(file.read_bytes())
        return f"{self.name}-{digest.hexdigest()[:8]}"

    def files(self) -> list[Path]:
        """Return the files from which the runtime is built."""
        found = (file for pattern in self.sources for file in PROGRAMS.glob(pattern))
        return sorted(file for file in found if file.is_file())

    def root(self) -> Root:
        return Root()

    def program(self, name: str) -> str:
        return str(self.tree / name)
