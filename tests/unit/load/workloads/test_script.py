"""The user's own scripts."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.experiment.source import load_experiment
from fivenines.experiment.validation.checks import problems
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.script import Script


def script(*files: str, **settings: Any) -> Script:
    return Script(workload="script", files=list(files), **settings)


def test_files_have_weights_and_values_are_texts() -> None:
    one = script("a.sql@3", "b.sql", define={"rows": 1000, "deep": True, "name": "x", "h": 0.5})
    assert one.document() == {
        "workload": "script",
        "files": [{"path": "a.sql", "weight": 3}, {"path": "b.sql", "weight": 1}],
        "define": {"rows": "1000", "deep": "true", "name": "x", "h": "0.5"},
        "options": {},
    }


def test_a_lua_script_has_its_own_options_and_the_data_of_another() -> None:
    one = script("oltp.lua", options={"tables": 4, "table_size": 1000}, data="oltp_read_only")
    assert one.document()["options"] == {"tables": "4", "table_size": "1000"}
    assert one.prepares() == Oltp(workload="oltp_read_only").prepares()


def test_the_data_are_those_of_another_workload_and_of_own_files(tmp_path: Path) -> None:
    (tmp_path / "own.sql").write_text("CREATE TABLE t (id INT)")
    plain, other = script("a.sql"), script("a.sql", data="oltp_insert")
    assert plain.data_set() == {"family": "none"} and plain.prepares() == []
    assert other.data_set() == Oltp(workload="oltp_insert").data_set()
    own = script("a.sql", setup=["own.sql"]).located(tmp_path)
    first = own.data_set()
    assert own.setup_files() == [tmp_path / "own.sql"]
    (tmp_path / "own.sql").write_text("CREATE TABLE t (id BIGINT)")
    assert own.data_set() != first and first["family"] == "none"


def test_a_lua_script_alone_prepares_its_own_data(tmp_path: Path) -> None:
    (tmp_path / "own.lua").write_text("function prepare() end")
    one = script("own.lua@3", options={"tables": 4}).located(tmp_path)
    assert one.prepares() == [one]
    first = one.data_set()
    assert (first["family"], first["options"]) == ("lua", '{"tables": "4"}')
    (tmp_path / "own.lua").write_text("function prepare() return 1 end")
    assert one.data_set() != first
    assert [one.workload for one in script("a.lua", data="tatp").prepares()] == ["tatp"]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (script("a.sql@0"), "the weight of 'a.sql@0' must be a whole number from 1"),
        (script("a.sql@x"), "the weight of 'a.sql@x'"),
        (script("a.sql", options={"tables": 1}), "apply only to Lua scripts"),
        (script("a.lua", "b.sql"), "several scripts, one of them in Lua, need `data`"),
        (script("a.sql", setup=["b.txt"]), "setup: 'b.txt' does not end in .sql"),
        (script("a.sql", data={"workload": "tatp", "mix": "1"}), "write 7 percentages"),
    ],
)
def test_what_makes_no_sense_is_reported(one: Script, said: str) -> None:
    (problem,) = problems(one)
    assert said in problem


@given(st.text(max_size=20))
def test_any_name_is_right_or_refused_in_words(name: str) -> None:
    found = problems(script(name))
    stem, at, weight = name.rpartition("@")
    weighted = at and stem and not {"/", "."} & set(weight)
    sound = weight.isascii() and weight.isdecimal() and 1 <= int(weight) <= 10**6
    right = name != "" and (not weighted or sound)
    assert right == (found == [])


def _experiment(folder: Path, files: str) -> Path:
    path = folder / "experiment.yaml"
    path.write_text(
        f"name: own\nsolutions: [standalone]\nworkloads:\n  - {{workload: script, files: [{files}]}}\n"
    )
    return path


def test_files_are_found_alongside_the_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.sql").write_text("SELECT 1;")
    path = _experiment(tmp_path, "own.sql@2")
    monkeypatch.chdir(tmp_path)
    for place in (path, Path(path.name)):
        experiment, _ = load_experiment(place)
        assert experiment.workloads[0].document()["files"] == [{"path": f"{tmp_path}/own.sql", "weight": 2}]


def test_a_missing_file_is_named_with_its_place(tmp_path: Path) -> None:
    path = _experiment(tmp_path, "none.sql")
    with pytest.raises(UsageError) as refused:
        load_experiment(path)
    assert str(refused.value) == (f"{path}:4:5: workloads[0]: {tmp_path}/none.sql: the file does not exist")


def test_report_hooks_of_a_lua_script_get_a_note(tmp_path: Path) -> None:
    (tmp_path / "a.lua").write_text(
        "function event() end\n-- sysbench.hooks.report_intermediate = nil\n"
        "sysbench.hooks.report_cumulative = sysbench.report_csv\n"
    )
    (tmp_path / "b.lua").write_text("sysbench.hooks.before_restart_event = nil\n")
    (note,) = script("a.lua", "b.lua").located(tmp_path).notes()
    assert note.startswith(f"{tmp_path}/a.lua: report_cumulative: not called") and "summary.csv" in note
