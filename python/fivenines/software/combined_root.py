"""Run a server from one root file system in a host with another root, such as a failover manager's.

Its programs need the C library of their root, so that root's dynamic loader runs them (ld.so(8)).
"""

from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software.base import Engine, EngineStatus, Report
from fivenines.software.debian_root import DebianRoot

_SCRIPT = """\
#!/bin/sh
exec {loader} --library-path {libraries} {program} "$@"
"""
_FOLDERS = ("usr/sbin", "usr/bin")

_NEXT_TO_SERVER = {
    "lc-messages-dir": "usr/share/mysql",
    "character-sets-dir": "usr/share/mysql/charsets",
    "plugin-dir": "usr/lib/mysql/plugin",
}


class CombinedRoot(Engine):
    """The programs of an engine's root, each started by a script in `folder`, a path inside the host.

    Args:
        of: the engine.
        folder: folder of the scripts; the deployment writes them there, see `scripts`.
    """

    def __init__(self, of: DebianRoot, folder: Path) -> None:
        # Class attributes of other engines are instance attributes here, copied from the engine.
        self.name, self.description, self.family = of.name, of.description, of.family  # type: ignore[misc]
        self._of, self._folder = of, folder

    def status(self) -> EngineStatus:
        return self._of.status()

    def pull(self, report: Report) -> None:
        self._of.pull(report)

    def remove(self) -> None:
        self._of.remove()

    def root(self) -> Root:
        return Root(engine=self._of.tree)

    def program(self, name: str) -> str:
        return str(self._folder / name)

    def next_to_server(self) -> dict[str, str]:
        return {option: str(ENGINE / folder) for option, folder in _NEXT_TO_SERVER.items()}

    @property
    def process(self) -> str:
        """Return the name of its processes: the loader's name, in 15 characters (proc(5), comm)."""
        return self._loader.name[:15]

    def scripts(self, *names: str) -> dict[str, str]:
        """Return the texts of the scripts for these programs, by name.

        Raises:
            FiveninesError: the root has no such program.
        """
        tree = self._of.tree
        libraries = sorted(tree.glob("usr/lib/*-linux-gnu"))
        listed = ":".join(str(ENGINE / folder.relative_to(tree)) for folder in libraries)
        return {
            name: _SCRIPT.format(loader=ENGINE / self._loader, libraries=listed, program=self._program(name))
            for name in names
        }

    def _program(self, name: str) -> Path:
        for folder in _FOLDERS:
            if (self._of.tree / folder / name).is_file():
                return ENGINE / folder / name
        raise FiveninesError(f"engine {self.name} has no program {name}: remove it and pull it again")

    @property
    def _loader(self) -> Path:
        """Return the loader's path in the tree."""
        tree = self._of.tree
        loaders = sorted(tree.glob("usr/lib64/ld-linux*.so.*")) or sorted(tree.glob("usr/lib/ld-linux*.so.*"))
        if not loaders:
            raise FiveninesError(f"engine {self.name} has no dynamic loader: remove it and pull it again")
        return loaders[0].relative_to(tree)
