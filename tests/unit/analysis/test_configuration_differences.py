"""Settings in files of all formats, and those in which configurations differ."""

import pytest

from fivenines.analysis.configuration import Difference, differences, kind, settings_of
from fivenines.results.configuration import Configuration, ConfigurationFile


def _file(name: str, text: str, host: str = "node1") -> ConfigurationFile:
    return ConfigurationFile(host=host, path=f"/run/node/conf/{name}", text=text)


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        ("my.cnf", "[mysqld]\na=1\nskip_log_bin\n", {"mysqld.a": "1", "mysqld.skip_log_bin": "set"}),
        ("my.cnf", "[mysqld]\n!include /x\n", {"mysqld.!include": "/x"}),
        ("postgresql.conf", "a = 'x=y'\n# b = 1\n", {"a": "'x=y'"}),
        ("patroni.yml", "a:\n  b: 1\n  c: [x, y]\n", {"a.b": "1", "a.c": '["x", "y"]'}),
        ("operator.json", '{"a": {"b": true}}', {"a.b": "True"}),
        ("haproxy.cfg", "global\n  mode tcp\nlisten w\n  a x\n", {"global.mode": "tcp", "listen w.a": "x"}),
        ("corosync.conf", "t {\n  token: 1\n  n {\n    x: 2\n  }\n}\n", {"t.token": "1", "t.n.x": "2"}),
        ("r0.res", "resource r0 {\n  net {\n    protocol C;\n  }\n}\n", {"resource r0.net.protocol": "C"}),
        ("config.ini", "[ndbd]\nNodeId=1\n[ndbd]\nNodeId=2\n", {"ndbd.NodeId": "1; 2"}),
        ("cib.xml", '<a><n id="x" value="1"/><o id="z" b="2" c="3"/></a>', {"x": "1", "z": "b=2, c=3"}),
        ("pg_hba.conf", "local all all md5\n", {"local all all md5": "yes"}),
    ],
)  # fmt: skip
def test_reads_the_settings_of_each_format(name: str, text: str, settings: dict[str, str]) -> None:
    assert settings_of(_file(name, text)) == settings


def test_names_what_differs_between_solutions() -> None:
    one = Configuration(
        files=[_file("my.cnf", "a=1\nb=2\nid=1\n"), _file("my.cnf", "a=1\nb=2\nid=2\n", "node2")]
    )
    two = Configuration(files=[_file("my.cnf", "a=1\nb=3\nc=4\nid=1\n"), _file("haproxy.cfg", "g\n  x y\n")])
    assert differences([one, two]) == [
        Difference("my.cnf", "b", ("2", "3")),
        Difference("my.cnf", "id", ("node1: 1; node2: 2", "1")),
        Difference("my.cnf", "c", (None, "4")),
        Difference("haproxy.cfg", "the whole file", ("no such file", "written")),
    ]
    assert differences([one, one]) == []


def test_servers_of_one_kind_are_comparable() -> None:
    texts = ("[mysqld]\na=1\n", "[mysqld]\n", "[mariadbd]\n")
    first, second, third = (kind(Configuration(files=[_file("my.cnf", text)])) for text in texts)
    assert first == second != third
