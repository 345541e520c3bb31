"""The packages of the architecture import only from those below; no folder or class is too large."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT

PACKAGE = ROOT / "python" / "fivenines"
MOST_FILES = 25
MOST_METHODS = 15


def _listed() -> list[str]:
    """Return the packages in the order of the architecture page, the highest first."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.partition("| package | responsibility |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def _imports(file: Path) -> Iterator[str]:
    """Yield the packages that a file imports from, in functions too."""
    for node in ast.walk(ast.parse(file.read_text())):
        names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == "fivenines":
            names = [f"fivenines.{item.name}" for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        yield from (name.split(".")[1] for name in names if name.startswith("fivenines."))


def _upwards(file: Path, package: str, order: list[str]) -> list[str]:
    return [name for name in _imports(file) if name in order and order.index(name) < order.index(package)]


def _public_methods(file: Path) -> Iterator[tuple[str, int]]:
    """Yield each class of a file with its number of public methods and properties."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ClassDef):
            own = (item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
            yield node.name, len({item.name for item in own if not item.name.startswith("_")})


def test_the_page_lists_every_package() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(_listed()) == folders
    assert len(folders) <= 16


def test_imports_point_downwards() -> None:
    order = _listed()
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {name}"
        for package in order
        for file in (PACKAGE / package).rglob("*.py")
        for name in _upwards(file, package, order)
    ]
    assert wrong == []


def test_an_import_upwards_is_found(tmp_path: Path) -> None:
    file = tmp_path / "low.py"
    file.write_text(
        "def late():\n    from fivenines.cli.main import main\n    import fivenines.report.table\n"
    )
    assert _upwards(file, "lab", _listed()) == ["cli", "report"]
    file.write_text("from fivenines import cli, __version__\nfrom fivenines.base import units\n")
    assert _upwards(file, "lab", _listed()) == ["cli"]


def test_no_folder_has_too_many_files() -> None:
    folders = [path for path in (PACKAGE, *PACKAGE.rglob("*")) if path.is_dir()]
    sizes = {str(folder.relative_to(PACKAGE)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {name: size for name, size in sizes.items() if size > MOST_FILES} == {}


def test_no_class_has_too_many_public_methods() -> None:
    sizes = {
        f"{file.relative_to(PACKAGE)}: {name}": methods
        for file in PACKAGE.rglob("*.py")
        for name, methods in _public_methods(file)
    }
    assert {name: methods for name, methods in sizes.items() if methods > MOST_METHODS} == {}


def test_a_class_with_many_methods_is_found(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    methods = "".join(f"    def m{number}(self):\n        pass\n" for number in range(16))
    # A property and its setter are one; private methods do not count.
    file.write_text(
        f"class Large:\n{methods}"
        "    @property\n    def p(self): ...\n    @p.setter\n    def p(self, v): ...\n"
        "    def _private(self): ...\n"
    )
    assert list(_public_methods(file)) == [("Large", 17)]
