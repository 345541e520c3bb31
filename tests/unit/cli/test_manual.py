"""Man pages: one for each command, with all that its help says, as roff reads it."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer

from fivenines.cli.main import app
from fivenines.cli.reference import manual

PAGES = manual.pages()


def _commands(command: Any, path: str = "fivenines") -> list[str]:
    inner = getattr(command, "commands", {})
    return [path, *(c for name, one in inner.items() for c in _commands(one, f"{path} {name}"))]


def test_every_command_has_a_page() -> None:
    every = _commands(typer.main.get_command(app))
    assert "fivenines results show" in every
    assert set(PAGES) == {f"{one.replace(' ', '-')}.1" for one in every}


def test_a_page_has_all_options_and_the_examples_as_they_are() -> None:
    page = PAGES["fivenines-init.1"].replace("\\-", "-")
    for option in ("--solution", "--workload", "--fault", "--connections", "--trials", "--force"):
        assert re.search(rf"(?m)^\.B {option}\b", page)
    assert "\nfivenines init mine.yaml --solution hot-standby --solution patroni\n" in page
    assert ".BR fivenines (1)" in page


def test_writing_them_is_one_command(tmp_path: Path) -> None:
    manual.write(manual.pages(), tmp_path / "man")
    assert {file.name for file in (tmp_path / "man").iterdir()} == set(PAGES)


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not on this machine")
def test_roff_has_nothing_to_complain_about() -> None:
    for name, text in PAGES.items():
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == "", name
