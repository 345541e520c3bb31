"""`compare`: exit codes for a pipeline, and every form that it can be told in."""

import json
from pathlib import Path

import pytest
from cli_support import Fivenines
from synthetic_run import Matrix, Recipe, write_run


def _run(folder: Path, recipe: Recipe) -> Path:
    return write_run(folder, Matrix([recipe], trials=5))


def test_the_command_fails_for_what_is_not_allowed(fivenines: Fivenines, tmp_path: Path) -> None:
    before = str(_run(tmp_path / "before", Recipe("a", tps=1000)))
    after = str(_run(tmp_path / "after", Recipe("a", tps=600)))
    assert fivenines("compare", before, after).code == 0
    assert fivenines("compare", before, after, "--allow", "10%").code == 3
    assert fivenines("compare", before, after, "--allow", "90%").code == 0
    told = json.loads(fivenines("compare", before, after, "--format", "json").out)
    assert {one["verdict"] for one in told["changes"] if one["measure"] == "tps"} == {"worse"}
    assert "| ✗ worse |" in fivenines("compare", before, after, "--format", "md").out


def test_new_losses_and_nothing_to_compare_do_not_pass(
    fivenines: Fivenines, tmp_path: Path
) -> None:
    before, lossy = (
        _run(tmp_path / "before", Recipe("a")),
        _run(tmp_path / "after", Recipe("a", lost=2)),
    )
    assert fivenines("compare", str(before), str(lossy), "--allow", "90%").code == 3
    other = str(_run(tmp_path / "other", Recipe("b")))
    answer = fivenines("compare", str(before), other, "--allow", "5%")
    assert answer.code == 1 and "nothing could be compared" in answer.err


@pytest.mark.parametrize("share", ["x", "5", "-1%", "100%"])
def test_a_share_has_a_sign(fivenines: Fivenines, tmp_path: Path, share: str) -> None:
    run = str(_run(tmp_path / "run", Recipe("a")))
    answer = fivenines("compare", run, run, "--allow", share)
    assert answer.code == 2 and "write 5% or 0%" in answer.err
