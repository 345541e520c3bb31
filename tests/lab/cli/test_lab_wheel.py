"""A wheel as `pip install .` makes it works without its source tree.

`make test-dist` tests the wheel of a release on older systems, with a complete quickstart.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from lab_support import LIMIT

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide the folder of a wheel's contents; its Rust half was built before, as the tests use it."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT],
        check=True,
        timeout=LIMIT,
    )
    [wheel] = folder.glob("*.whl")
    assert "-py3-none-" in wheel.name, "one wheel for every Python"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "tree")
    return folder / "tree"


def program(unpacked: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the wheel's fivenines with the libraries that are installed here."""
    [core] = unpacked.glob("*.data/scripts/fivenines-core")
    core.chmod(0o755)
    # -P: Python does not search the folder itself.
    begin = "import fivenines, sys; print(fivenines.__file__, file=sys.stderr); "
    begin += "from fivenines.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-P", "-c", begin, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(unpacked), "FIVENINES_CORE": str(core), "COLUMNS": "80"},
        check=False,
        timeout=LIMIT,
    )


def test_its_examples_run_and_make_a_report(unpacked: Path, tmp_path: Path) -> None:
    planned = program(unpacked, tmp_path, "run", "quickstart", "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert "3 blocks, 2 cells, 6 trials" in planned.stdout
    assert planned.stderr == f"{unpacked}/fivenines/__init__.py\n", "this ran another fivenines"
    Path(tmp_path / "mine.yaml").write_text(
        "name: mine\ntrials: 1\nsolutions: [standalone]\nconnections: [2]\n"
        "workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]\n"
        "timing: {warmup: 500ms, steady: 1s, recovery: 1s, settle: 5s}\n"
    )
    done = program(unpacked, tmp_path, "run", "mine.yaml", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "run" / "report.html").read_text()
