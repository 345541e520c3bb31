"""Runs are copied to a real object store that speaks S3, and queried there."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_support import GENTLE, HEAD, LIMIT, fivenines, timing

pytestmark = pytest.mark.long


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run moto's server with a bucket `runs`, at most until the test ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    program = Path(sys.executable).with_name("moto_server")
    with (tmp_path / "moto.log").open("wb") as log:
        server = subprocess.Popen(
            [str(program), "-H", "127.0.0.1", "-p", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        _await(port)
        make = "import fsspec; fsspec.filesystem('s3').mkdir('runs')"
        subprocess.run([sys.executable, "-c", make], check=True, env=os.environ)
        yield server
    finally:
        server.kill()
        server.wait()


def _await(port: int) -> None:
    deadline = time.monotonic() + LIMIT
    while True:
        with socket.socket() as listener:
            if listener.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _file(folder: Path) -> Path:
    file = folder / "tiny.yaml"
    file.write_text(f"{HEAD}solutions: [{{solution: standalone}}]\n" + GENTLE + timing(recovery=1))
    return file


def test_a_run_is_stored_and_queried_on_shared_storage(
    tmp_path: Path, bucket: "subprocess.Popen[bytes]"
) -> None:
    file = _file(tmp_path)
    result = fivenines("run", str(file), "--out", "one", "--copy-to", "s3://runs/all", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    sql = "SELECT trial, sum(transactions_ok) AS done FROM timeline GROUP BY ALL"
    queried = fivenines("results", "query", "s3://runs/all/one", sql, "--json", cwd=tmp_path)
    assert queried.returncode == 0, queried.stderr
    (row,) = json.loads(queried.stdout)
    assert row["trial"] == "0001" and row["done"] > 0
    here = fivenines("results", "query", "one", sql, "--json", cwd=tmp_path)
    assert json.loads(here.stdout) == [row], here.stderr


def test_unavailable_storage_does_not_affect_the_run(
    tmp_path: Path, bucket: "subprocess.Popen[bytes]"
) -> None:
    bucket.kill()
    bucket.wait()
    file = _file(tmp_path)
    result = fivenines("run", str(file), "--out", "one", "--copy-to", "s3://runs/all", cwd=tmp_path)
    assert result.returncode == 1
    assert "s3://runs/all" in result.stderr and "Traceback" not in result.stderr
    assert (tmp_path / "one/trials/0001/trial.json").exists()
    assert (tmp_path / "one/report.html").exists()
