"""The build from Debian's source package: what is missing, the order of steps, and that what is done is
not done again.

The compiler itself is not run: that takes hours.
"""

from pathlib import Path

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.software.engines import ndb_build
from fivenines.software.engines.ndb_build import Build, Step


def _silent(_message: str, _fraction: float | None) -> None:
    pass


class _Planted(Build):
    """Steps that only write down that they ran; `compile` needs a file that is not there at first."""

    def steps(self) -> list[Step]:
        names = ("fetch", "unpack", "compile", "gather")
        extra = {"compile": "cat needed >> out"}
        return [
            Step(name, extra.get(name, f"echo {name} >> out"), 0.2 * (index + 1))
            for index, name in enumerate(names)
        ]


def test_continues_a_failed_build(tmp_path: Path) -> None:
    build = _Planted(tmp_path / "work")
    with pytest.raises(FiveninesError, match=r"the build step compile failed.*compile\.log"):
        build.run(_silent)
    assert [step.name for step in build.left()] == ["compile", "gather"]
    (build.folder / "needed").write_text("compile\n")
    build.run(_silent)
    assert (build.folder / "out").read_text().split() == ["fetch", "unpack", "compile", "gather"]
    assert build.left() == []


def test_repeats_a_changed_step_and_all_later_ones(tmp_path: Path) -> None:
    one = Build(tmp_path, jobs=1)
    for step in one.steps():
        (tmp_path / f".done-{step.name}").write_text(step.command)
    assert one.left() == []
    assert [step.name for step in Build(tmp_path, jobs=2).left()] == ["compile", "gather"]


def test_steps_are_in_order_and_show_their_commands() -> None:
    steps = Build(Path("x"), jobs=3).steps()
    assert [step.name for step in steps] == ["fetch", "unpack", "configure", "compile", "gather"]
    assert [step.after for step in steps] == sorted(step.after for step in steps)
    assert "ninja -C build -j 3 mysqld ndbmtd ndb_mgmd" in steps[3].shown
    assert all("\n" not in step.shown for step in steps)


def test_reports_missing_prerequisites_with_remedies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndb_build, "_answer", lambda _command: "")
    monkeypatch.setattr(ndb_build, "DISK", 10**18)
    packages, source, disk = Build(tmp_path / "not" / "there").missing()
    assert "apt-get install bison build-essential cmake" in packages
    assert "deb-src" in source
    assert "--folder" in disk
    monkeypatch.setattr(ndb_build, "_answer", lambda command: f"installed mysql-9.7 {command}")
    monkeypatch.setattr(ndb_build, "_installed", lambda _package: True)
    monkeypatch.setattr(ndb_build, "DISK", 1)
    assert Build(tmp_path / "not" / "there").missing() == []


def test_gathers_the_results_of_a_build(tmp_path: Path) -> None:
    for name in (
        *(f"build/runtime_output_directory/{one}" for one in (*ndb_build._SERVERS, *ndb_build._TOOLS)),
        "build/library_output_directory/libprotobuf-lite.so.24",
        "build/share/english/errmsg.sys",
        "source/share/charsets/Index.xml",
        "source/LICENSE",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    build = Build(tmp_path)
    build._run(build.steps()[-1])
    for name in ("bin/ndbmtd", "library_output_directory/libprotobuf-lite.so.24", "share/charsets/Index.xml"):
        assert (build.result / name).exists(), name
