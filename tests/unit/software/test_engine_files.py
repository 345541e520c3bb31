"""Where a host sees a file of an engine: of a whole root, of an installation, of this machine."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import Engine

PATTERNS = ("usr/lib/galera*/it.so", "lib/galera*/it.so")


def located(root: Root) -> str:
    engine: Any = type("It", (), {"root": lambda _self: root, "name": "own"})()
    return Engine.file(engine, *PATTERNS)


def test_of_a_root_and_of_an_installation(tmp_path: Path) -> None:
    for below, root, seen in [
        ("a/usr/lib/galera", Root(lower=tmp_path / "a"), "/usr/lib/galera/it.so"),
        ("b/lib/galera-4", Root(engine=tmp_path / "b"), "/run/engine/lib/galera-4/it.so"),
    ]:
        (tmp_path / below).mkdir(parents=True)
        (tmp_path / below / "it.so").touch()
        assert located(root) == seen


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match=r"engine own has no it\.so"):
        located(Root(lower=tmp_path))
