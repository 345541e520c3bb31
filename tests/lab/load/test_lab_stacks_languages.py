"""Settings and builds of the client stacks in Go, Java, Node.js, PHP and Rust, and of psql."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_support import LIMIT, ended
from stack_place import Place, stack_place

from fivenines.load.stacks.protocol import Task
from fivenines.load.stacks.runtimes import go, java, node, php, rust
from fivenines.load.stacks.runtimes.base import Runtime
from fivenines.load.stacks.stack import PythonStack, stacks


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server that keeps what it has acknowledged."""
    with stack_place(request.param, tmp_path_factory.mktemp("stacks")) as made:
        yield made


def test_a_setting_that_would_be_ignored_ends_the_program(place: Place) -> None:
    others = [name for name in place.kinds if not isinstance(stacks()[name], PythonStack)]
    for kind in others:
        for setting in ("connect.nonsense", "pool.nonsense"):
            answer = ended(place.start("run", kind, "--set", f"{kind}.{setting}=1", "--duration", "1s"))
            assert answer.returncode == 1 and f"stack {kind} ended with exit code 1: " in answer.stderr
            assert "nonsense" in answer.stderr and place.server.passwords.application not in answer.stderr
    assert place.tables() == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "machines", "runtime", "kind"),
    [
        (go, "machines_go", go.GoRuntime, "pgx-pool"),
        (java, "machines_java", java.JavaRuntime, "hikari-pgjdbc"),
        (node, "machines_npm", node.NodeRuntime, "node-postgres"),
        (php, "", php.PhpRuntime, "pdo-pgsql"),  # always from Debian
        (rust, "machines_rust", rust.RustRuntime, "tokio-postgres-deadpool"),
    ],
    ids=["go", "java", "node", "php", "rust"],
)
def test_a_machine_without_tools_builds_with_those_of_a_debian_root(
    module: object,
    machines: str,
    runtime: type[Runtime],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if machines:
        monkeypatch.setattr(module, machines, lambda: "")
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))
    built = runtime()
    built.pull(lambda message, fraction: None)
    assert built.status().installed
    assert [path.name for path in built.folder.iterdir() if path.name.startswith("build-")] == []
    # No network, no environment, and another account where that can be had.
    prefix = ["unshare", "--user", "--net", "--", "env", "--ignore-environment"]
    if os.geteuid() == 0:
        for folder in (tmp_path, *tmp_path.parents):
            if folder.owner() == "root" and folder != Path("/"):
                folder.chmod(folder.stat().st_mode | 0o011)
        (tmp_path / "cache").chmod(0o755)
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", *prefix]
    task = Task(kind, "postgres", ("127.0.0.1:1",), "app", "secret", "shop", "t")
    with subprocess.Popen(
        [*prefix, *built.command(kind)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/"
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(f"{task.line()}\n")
        process.stdin.flush()
        assert process.wait(LIMIT) == 1
        last = process.stderr.read().strip().splitlines()[-1]
    assert any(word in last for word in ("unreachable", "ENETUNREACH", "connection attempt failed")), last
