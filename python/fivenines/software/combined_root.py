"""A server whose root file system is shown beside the root of something else, as of a failover manager.

Its programs need the C library of their own root, so they are run by that root's dynamic loader (ld.so(8)).
"""

from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root
from fivenines.software.base import Engine, EngineStatus, Report
from fivenines.software.debian_root import DebianRoot

_SCRIPT = """\
#!/bin/sh
exec {loader} --library-path {libraries} {program} "$@"
"""
_FOLDERS = ("usr/sbin", "usr/bin")

_BESIDE = {
    "lc-messages-dir": "usr/share/mysql",
    "character-sets-dir": "usr/share/mysql/charsets",
    "plugin-dir": "usr/lib/mysql/plugin",
}


class CombinedRoot(Engine):
    """The programs of a root, each by a script in `folder`, a path inside the host.

    Args:
        of: the engine whose root it is.
        folder: where the scripts are; whoever deploys writes them there, see `scripts`.
    """

    def __init__(self, of: DebianRoot, folder: Path) -> None:
        # what is a class's own with other engines is here that of the engine shown
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
        return {option: str(ENGINE / folder) for option, folder in _BESIDE.items()}

    @property
    def process(self) -> str:
        """What its programs are called among the processes: the loader, in 15 letters (proc(5), comm)."""
        return self._loader.name[:15]

    def scripts(self, *names: str) -> dict[str, str]:
        """The texts of the scripts for programs of these names, by name.

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
        raise FiveninesError(f"engine {self.name} has no program {name}: remove it, and pull it again")

    @property
    def _loader(self) -> Path:
        """Its path in the tree."""
        tree = self._of.tree
        found = sorted(tree.glob("usr/lib64/ld-linux*.so.*")) or sorted(tree.glob("usr/lib/ld-linux*.so.*"))
        if not found:
            raise FiveninesError(f"engine {self.name} has no dynamic loader: remove it, and pull it again")
        return found[0].relative_to(tree)
