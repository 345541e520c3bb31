"""The engine with Pacemaker: what its tree needs beyond unpacked packages."""

from pathlib import Path

from fivenines.software.engines.mariadb_root import MariadbRoot
from fivenines.software.engines.pacemaker_root import DAEMON, GROUP, PacemakerRoot


def test_the_daemons_account_is_of_the_group_that_may_talk_to_them(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    name, number = DAEMON
    (tmp_path / "etc/group").write_text(f"root:x:0:\nmysql:x:999:\n{name}:x:{number}:\n")
    PacemakerRoot().finish(tmp_path, lambda _message, _fraction: None)
    lines = (tmp_path / "etc/group").read_text().splitlines()
    assert lines == ["root:x:0:", "mysql:x:999:", f"{GROUP}:x:{number}:{name}"]


def test_its_server_is_that_of_the_engine_which_loads_the_data() -> None:
    ours, theirs = PacemakerRoot(), MariadbRoot()
    assert (ours.suite, ours.family) == (theirs.suite, theirs.family)
    assert set(theirs.accounts) < set(ours.accounts)
    assert "mariadb-server" in ours.packages
