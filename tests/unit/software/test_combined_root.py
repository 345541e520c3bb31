"""Test a server's root in a host with another root: its own loader starts its programs."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.software.combined_root import CombinedRoot
from fivenines.software.engines.mysql_root import MysqlRoot
from fivenines.software.store import engines


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CombinedRoot:
    for name in ("usr/sbin/mysqld", "usr/bin/mysql", "usr/lib64/ld-linux-x86-64.so.2"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)
    monkeypatch.setattr(MysqlRoot, "tree", tmp_path)
    return CombinedRoot(MysqlRoot(), Path("/run/node/conf"))


def test_a_program_is_a_script_that_asks_its_own_loader(root: CombinedRoot) -> None:
    assert root.program("mysqld") == "/run/node/conf/mysqld"
    scripts = root.scripts("mysqld", "mysql")
    assert scripts["mysqld"].splitlines()[-1] == (
        "exec /run/engine/usr/lib64/ld-linux-x86-64.so.2 --library-path "
        '/run/engine/usr/lib/x86_64-linux-gnu /run/engine/usr/sbin/mysqld "$@"'
    )
    assert "/run/engine/usr/bin/mysql " in scripts["mysql"]
    assert root.process == "ld-linux-x86-64", "as the kernel calls the process"


def test_it_is_the_engine_that_is_shown_and_no_other(root: CombinedRoot, tmp_path: Path) -> None:
    assert (root.name, root.family) == ("mysql-9.7", "mysql")
    assert root.root().engine == tmp_path and root.root().lower is None
    assert root.next_to_server()["plugin-dir"] == "/run/engine/usr/lib/mysql/plugin"


def test_what_is_not_there_is_named(root: CombinedRoot, tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="has no program mysqlpump"):
        root.scripts("mysqlpump")
    (tmp_path / "usr/lib64/ld-linux-x86-64.so.2").unlink()
    with pytest.raises(FiveninesError, match="no dynamic loader"):
        root.scripts("mysqld")


def test_it_is_not_listed_among_the_engines() -> None:
    kinds: Any = [type(one) for one in engines()]
    assert CombinedRoot not in kinds
