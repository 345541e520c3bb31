"""Configuration files of a run: comments for marked lines, and storage."""

from pathlib import Path

import pytest

from fivenines.results.configuration import Configuration, ConfigurationFile, keep, share, stored


def _file(path: str, text: str, host: str = "node1", **marks: str) -> ConfigurationFile:
    return ConfigurationFile(
        host=host, path=path, text=text, marks={int(number[1:]): why for number, why in marks.items()}
    )


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("/c/my.cnf", "[mariadbd]\na=1\n", "[mariadbd]\na=1 # set by fivenines for measuring: why\n"),
        ("/c/my.cnf", "\n!include /x\n", "\n# set by fivenines for measuring: why\n!include /x\n"),
        (
            "/c/a.xml",
            "<a>\n  <b />\n</a>\n",
            "<a>\n  <b /> <!-- set by fivenines for measuring: why -->\n</a>\n",
        ),
        ("/c/corosync.conf", "t {\n  a: 1\n}\n", "t {\n  # set by fivenines for measuring: why\n  a: 1\n}\n"),
        ("join.sql", "A;\nB;\n", "A;\n-- set by fivenines for measuring: why\nB;\n"),
        ("/c/state.json", "{\n}\n", "{\n}\n"),
        ("/c/script", "#!/bin/sh\nexec a\n", "#!/bin/sh\nexec a\n"),
    ],
)
def test_a_comment_has_the_form_of_the_file(path: str, text: str, shown: str) -> None:
    assert _file(path, text, _2="why").annotated() == shown


def test_equal_files_are_shown_once() -> None:
    one, same, other = _file("/a", "x"), _file("/a", "x", "node2"), _file("/a", "y", "node3")
    grouped = Configuration(files=[one, same, other]).grouped()
    assert grouped == [(["node1", "node2"], one), (["node3"], other)]


def test_a_run_keeps_equal_configurations_once(tmp_path: Path) -> None:
    first, second = tmp_path / "trials/0001", tmp_path / "trials/0002"
    configuration = Configuration(files=[_file("/a", "x", _1="why")])
    for folder in (first, second):
        folder.mkdir(parents=True)
        keep(folder, configuration)
        assert stored(tmp_path, folder, configuration.digest) == configuration
        share(tmp_path, folder)
    assert [file.name for file in (tmp_path / "configuration").iterdir()] == [f"{configuration.digest}.json"]
    assert not list(first.iterdir()) and not list(second.iterdir())
    assert stored(tmp_path, second, configuration.digest) == configuration
    assert configuration.digest != Configuration(files=[_file("/a", "y")]).digest


def test_without_files_nothing_is_stored(tmp_path: Path) -> None:
    empty = Configuration(files=[])
    keep(tmp_path, empty)
    share(tmp_path, tmp_path)
    assert not list(tmp_path.iterdir())
    assert empty.digest == ""
    assert stored(tmp_path, tmp_path, "") is None


def test_a_damaged_file_is_not_shown(tmp_path: Path) -> None:
    configuration = Configuration(files=[_file("/a", "x")])
    keep(tmp_path, configuration)
    (file,) = (tmp_path / "configuration").iterdir()
    file.write_text("{")
    assert stored(tmp_path, tmp_path, configuration.digest) is None
