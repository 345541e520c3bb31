"""Run a Ray cluster of several nodes on this machine for the duration of a test."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from lab_support import PATIENCE

# Seconds within which a node starts or disappears.
_LONGEST = 90.0 * PATIENCE

# Number of starts of a head node.
_STARTS = 3

# Settings with which Ray lists a hanging machine as dead after 9 s instead of 65 s.
QUICK = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 6,
}


class RayCluster:
    """Control a cluster of nodes with two processors each, as Ray counts them; the first is the head.

    Args:
        folder: theirs; its path is short, as it has sockets.
        token: what clients must bring; "": the cluster demands none, whatever tokens this account has.
        settings: Ray's own (`ray start --system-config`).
    """

    def __init__(self, folder: Path, token: str = "", settings: Mapping[str, int] | None = None) -> None:
        self._folder = folder
        self._settings = settings or {}
        self._frozen: list[psutil.Process] = []
        self._nodes: list[subprocess.Popen[bytes]] = []
        self._port = self._clients = 0
        self._token = folder / "token" if token else None
        if self._token is not None:
            self._token.write_text(token)

    def begin(self) -> None:
        """Start the head node, and again if Ray's own limit for it, 30 s, was too short on a busy machine."""
        for _ in range(_STARTS):
            self._begin_head()
            if self._await_last():
                return
            self.kill(0)
            self._nodes.clear()
        raise AssertionError(self._log(0).read_text())

    def _begin_head(self) -> None:
        self._port, self._clients = _free_port(), _free_port()
        self._begin(
            "--head",
            f"--port={self._port}",
            f"--ray-client-server-port={self._clients}",
            "--include-dashboard=false",
            f"--temp-dir={self._folder}",
            f"--system-config={json.dumps(self._settings)}",
        )

    @property
    def address(self) -> str:
        """Return the address for `--on`."""
        return f"ray://127.0.0.1:{self._clients}"

    def join(self) -> None:
        """Add a node."""
        self._begin(f"--address=127.0.0.1:{self._port}")
        assert self._await_last(), self._log(len(self._nodes) - 1).read_text()

    def kill(self, number: int) -> None:
        """Kill Ray's processes of a node; lifelines end the processes that trials have started."""
        for process in self._processes(self._nodes[number]):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._nodes[number].wait(_LONGEST)

    def freeze(self, number: int) -> None:
        """Stop all processes of a node, as on a machine that hangs."""
        first = psutil.Process(self._nodes[number].pid)
        self._frozen = [first, *first.children(recursive=True)]
        for process in self._frozen:
            with suppress(psutil.NoSuchProcess):
                process.suspend()

    def thaw(self) -> None:
        """Continue a frozen node."""
        for process in self._frozen:
            with suppress(psutil.NoSuchProcess):
                process.resume()
        self._frozen = []

    def workers(self, number: int) -> list[psutil.Process]:
        """Return the worker processes of a node, in which trials run."""
        processes = self._processes(self._nodes[number])
        return [process for process in processes if _name(process).startswith("ray::")]

    def close(self) -> None:
        """End every node."""
        self.thaw()
        for number in reversed(range(len(self._nodes))):
            self.kill(number)

    @property
    def _environment(self) -> dict[str, str]:
        # Ray sends usage statistics over the internet by default, and would use a token from this account's
        # home.
        own = {
            "RAY_USAGE_STATS_ENABLED": "0",
            "GRPC_ENABLE_FORK_SUPPORT": "0",
            "RAY_AUTH_MODE": "token" if self._token else "disabled",
        }
        others = {name: text for name, text in os.environ.items() if "RAY_AUTH" not in name}
        return {**others, **own, **({"RAY_AUTH_TOKEN_PATH": str(self._token)} if self._token else {})}

    def _begin(self, *options: str) -> None:
        program = Path(sys.executable).with_name("ray")
        with self._log(len(self._nodes)).open("wb") as stream:
            self._nodes.append(
                subprocess.Popen(
                    [
                        str(program),
                        "start",
                        "--block",
                        "--num-cpus=2",
                        "--node-ip-address=127.0.0.1",
                        "--disable-usage-stats",
                        *options,
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=stream,
                    env=self._environment,
                    start_new_session=True,
                )
            )

    def _await_last(self) -> bool:
        """Wait until the last started node reports that it runs, that is, until the head knows it.

        Returns False if Ray has ended as it took too long.
        """
        deadline = time.monotonic() + _LONGEST
        while "Ray runtime started" not in (output := self._log(len(self._nodes) - 1).read_text()):
            if self._nodes[-1].poll() is not None and "timed out during startup" in output:
                return False
            assert self._nodes[-1].poll() is None, output
            assert time.monotonic() < deadline, output
            time.sleep(0.1)
        return True

    def _log(self, number: int) -> Path:
        return self._folder / f"node{number}.log"

    @staticmethod
    def _processes(node: "subprocess.Popen[bytes]") -> list[psutil.Process]:
        """Return Ray's processes of a node, without the children of its workers."""
        processes: list[psutil.Process] = []
        waiting = [psutil.Process(node.pid)] if node.poll() is None else []
        while waiting:
            process = waiting.pop()
            processes.append(process)
            if not _name(process).startswith("ray::"):
                with suppress(psutil.NoSuchProcess):
                    waiting += process.children()
        return processes


def _name(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return process.name()
    return ""


@contextmanager
def ray_cluster(
    nodes: int, token: str = "", settings: Mapping[str, int] | None = None
) -> Iterator[RayCluster]:
    """Run a cluster for the duration of the context and remove it, even after a failed start."""
    folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
    cluster = RayCluster(folder, token, settings)
    try:
        cluster.begin()
        for _ in range(nodes - 1):
            cluster.join()
        yield cluster
    finally:
        cluster.close()
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
