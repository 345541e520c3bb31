"""Running command lines in this process, in a folder and a cache of their own."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from cli_support import SMALL, Answer, Fivenines, Pretend

from fivenines.base import private
from fivenines.cli import main


@pytest.fixture
def fivenines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Fivenines:
    """Runs `fivenines ARGUMENTS` in an empty folder."""
    # what a test puts down first belongs to its account alone, as what the program makes
    private.begin()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    Path("small.yaml").write_text(SMALL)

    def call(*arguments: str) -> Answer:
        code = main.execute(list(arguments))
        message = capsys.readouterr()
        return Answer(code, message.out, message.err)

    return call


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Puts a module with these functions where a command will import it."""

    def put(name: str, **functions: object) -> ModuleType:
        module = ModuleType(name)
        vars(module).update(functions)
        monkeypatch.setitem(sys.modules, name, module)
        parent, _, child = name.rpartition(".")
        monkeypatch.setattr(import_module(parent), child, module, raising=False)
        return module

    return put
