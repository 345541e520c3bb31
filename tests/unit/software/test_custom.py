"""Test custom engines: their settings, families and supported versions."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.software import custom
from fivenines.software.custom import CustomEngine, Source
from fivenines.software.store import engine, family_of
from fivenines.software.trees import Tree, family_named
from fivenines.solutions.engines import engine_type

TYPE: TypeAdapter[str] = TypeAdapter(engine_type(("mariadb-10.11",), "mariadb", "mysql"))


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("docker.io/library/mysql:8.4", "mysql"),
        ("mariadb:11.8", "mariadb"),
        ("registry:5000/mysql/postgres", "postgresql"),
        ("percona/percona-server:8.4", "mysql"),
        ("/tmp/mysql-9.7.0-linux-glibc2.28-x86_64.tar.xz", "mysql"),
        ("docker.io/library/nginx", None),
    ],
)
def test_the_last_part_of_a_name_determines_the_family(name: str, family: str | None) -> None:
    assert family_named(name) == family


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"image": "docker.io/library/mysql:9.7"}, "image:docker.io/library/mysql:9.7"),
        ({"image": "oci:/tmp/x:base", "family": "mariadb"}, "image:oci:/tmp/x:base#mariadb"),
        ({"archive": "/tmp/mariadb.tar", "family": "mariadb"}, "archive:/tmp/mariadb.tar"),
        ("image:oci:/tmp/x:base#mysql", "image:oci:/tmp/x:base#mysql"),
        ("mariadb-10.11", "mariadb-10.11"),
    ],
)
def test_a_setting_round_trips_through_its_name(value: object, name: str) -> None:
    found = TYPE.validate_python(value)
    assert found == name == TYPE.validate_python(found)
    assert TYPE.dump_python(found) == name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"image": "docker.io/library/nginx"}, "unknown server: set `family:`"),
        ({"image": "mysql:9", "path": "/x"}, "a custom engine is {image: …}"),
        ({"picture": "mysql:9"}, "a custom engine is {image: …}"),
        ({"image": "mysql:9", "family": "oracle"}, "a custom engine is {image: …}"),
        ({"image": "postgres:18"}, "this solution runs on mariadb or mysql"),
        ({"path": "/nowhere/at/all"}, "has no supported database server"),
        ("mariadb-9", "Input should be"),
    ],
)
def test_reports_invalid_settings(value: object, expected: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TYPE.validate_python(value)
    assert expected in str(caught.value)


def test_an_engine_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path))
    found = engine("image:docker.io/library/postgres:17")
    assert isinstance(found, CustomEngine) and found.family == "postgresql"
    assert family_of(found.name) == "postgresql"
    assert "/" not in found.file_name and found.folder.name == found.file_name
    other = engine("image:docker.io/library/postgres:18")
    assert isinstance(other, CustomEngine) and other.folder != found.folder
    assert not found.status().installed
    with pytest.raises(UsageError, match="unknown server"):
        engine("image:docker.io/library/nginx")


@pytest.mark.parametrize(
    ("family", "version", "known"),
    [
        ("postgresql", "15.18", True),
        ("postgresql", "18.0", True),
        ("postgresql", "13.16", True),
        ("postgresql", "12.22", False),
        ("postgresql", "19.1", False),
        ("mariadb", "10.11.2", True),
        ("mariadb", "11.8.3", True),
        ("mariadb", "10.6.20", True),
        ("mariadb", "10.4.34", False),
        ("mariadb", "12.0.2", False),
        ("mysql", "9.7.4", True),
        ("mysql", "8.4.6", False),
    ],
)
def test_refuses_untested_versions(family: custom.Family, version: str, known: bool) -> None:
    tree = Tree(Path("/x"), family, version)
    if known:
        custom._require_known("it", family, tree)
        return
    with pytest.raises(FiveninesError, match="but fivenines supports"):
        custom._require_known("it", family, tree)


def test_reports_a_server_of_another_family() -> None:
    with pytest.raises(FiveninesError, match="contains a mysql server, but its family is mariadb"):
        custom._require_known("it", "mariadb", Tree(Path("/x"), "mysql", "9.7.0"))


def test_paths_mean_the_same_from_anywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert Source.named("archive:mysql.tar").where == str(tmp_path / "mysql.tar")
