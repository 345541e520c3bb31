"""Workers on the machines of a Ray cluster: each order is a task on one machine.

Ray places tasks, detects lost machines and returns results (Ray manual: "Ray Client", "Scheduling", "Fault
tolerance"). Generators do not stream over Ray Client, so events pass through an actor.
"""

import re
import socket
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivenines import __version__
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.threads import Background
from fivenines.campaign.workers import remote
from fivenines.campaign.workers.base import PATIENCE, Delivered, Order, WorkerLostError, unexpected
from fivenines.campaign.workers.node_watch import NodeList, await_result
from fivenines.campaign.workers.ray_mail import Mail, Post
from fivenines.campaign.workers.ray_token import use_token_if_demanded
from fivenines.trial.progress import Listener, Progress, ResultDropped

# A few per cent of connections fail, as the head's process for them dies at its start (Ray issue 63202).
_ATTEMPTS = 4

# Seconds within which the head must take a connection.
_PATIENCE_TO_CONNECT = 10.0

_INSTALL = "pip install 'fivenines[ray]'"


@dataclass(frozen=True)
class Node:
    """A machine of the cluster: name, Ray's identifier, and CPUs as Ray counts them."""

    name: str
    id: str
    processors: float


class Answer:
    """The pending result of a function call on a machine of the cluster."""

    def __init__(self, node: Node, listed: NodeList, task: Any) -> None:
        self.node = node
        self._listed, self._result = listed, task.future()

    def get(self) -> Any:
        """Wait for the result.

        Raises:
            FiveninesError: the call failed; the message names the machine.
        """
        try:
            return await_result(self._result, lambda: self._listed.has(self.node.id))
        except WorkerLostError as error:
            raise FiveninesError(f"{self.node.name}: {error}") from error
        except Exception as error:
            raise FiveninesError(f"{self.node.name}: {_failure(error)}") from error


class Cluster:
    """A connection with a Ray cluster, which ends with this process.

    Args:
        address: `ray://HEAD:PORT`.

    Raises:
        UsageError: the address is invalid, or Ray is not installed.
        FiveninesError: no answer from the address, or another version of Ray or Python there.
    """

    def __init__(self, address: str) -> None:
        if not address.startswith("ray://"):
            raise UsageError(f"--on {address}: write ray://HEAD:PORT, such as ray://10.0.0.5:10001")
        _require_answer(address)
        self._ray = ray = _library()
        _connect(ray, address)
        head = {"num_cpus": 0, "resources": {"node:__internal_head__": 0.001}}
        self._post = ray.remote(Post).options(**head).remote()
        self._mail = Mail(ray, self._post)
        self._trial = ray.remote(_carry_out)
        self._listed = NodeList(lambda: {node["NodeID"] for node in ray.nodes() if node["Alive"]})

    def nodes(self) -> list[Node]:
        """Return the available machines by name; duplicate names get a suffix."""
        existing = [item for item in self._ray.nodes() if item["Alive"] and item["Resources"].get("CPU")]
        hosts = Counter(item["NodeManagerHostname"] for item in existing)
        result = []
        for item in existing:
            host, key = item["NodeManagerHostname"], item["NodeID"]
            name = host if hosts[host] == 1 else f"{host}/{key[:6]}"
            result.append(Node(name, key, item["Resources"]["CPU"]))
        return sorted(result, key=lambda node: node.name)

    def is_there(self, node: Node) -> bool:
        """Return whether a machine still runs tasks, by running one: Ray's list is some seconds late."""
        (answer,) = self.ask([node], _nothing)
        try:
            answer.get()
        except FiveninesError:
            return False
        return True

    def introductions(self, nodes: Sequence[Node]) -> dict[str, remote.Introduction]:
        """Return the description of each machine, by name.

        Raises:
            FiveninesError: fivenines is missing on a machine, or has another version there.
        """
        result: dict[str, remote.Introduction] = {}
        for answer in self.ask(nodes, remote.introduce):
            introduction, name = answer.get(), answer.node.name
            if introduction.fivenines != __version__:
                raise FiveninesError(
                    f"{name} has fivenines {introduction.fivenines}, this is {__version__}: all machines "
                    f"must have the same version ({_INSTALL} there)"
                )
            result[name] = introduction
        return result

    def ask(self, nodes: Sequence[Node], question: Callable[..., Any], **arguments: object) -> "list[Answer]":
        """Call a function on all machines in parallel."""
        requested = self._ray.remote(question)
        tasks = [requested.options(**self._on(node, 0.0)).remote(**arguments) for node in nodes]
        return [Answer(node, self._listed, task) for node, task in zip(nodes, tasks, strict=True)]

    def workers(self, places: Mapping[str, int]) -> "list[RayWorker]":
        """Return workers on each machine, with its CPUs divided among them.

        Machines alternate, so that all have work if there are fewer trials than workers.
        """
        nodes = [node for node in self.nodes() if places.get(node.name)]
        return [
            RayWorker(self, node, share, places[node.name])
            for share in range(max(places.values(), default=0))
            for node in nodes
            if share < places[node.name]
        ]

    def run(self, order: Order, node: Node, place: remote.Place, listener: Listener) -> "Running":
        """Start a trial on a machine."""
        box = uuid.uuid4().hex
        self._mail.open(box, listener)
        options = self._on(node, node.processors / place.of)
        return Running(
            self._ray,
            self._trial.options(**options).remote(order, place, self._post, box),
            lambda: self._listed.has(node.id),
            lambda: self._mail.close(box),
            lambda: listener(ResultDropped(place.name, order.work.id)),
        )

    def _on(self, node: Node, processors: float) -> dict[str, Any]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415

        existing = NodeAffinitySchedulingStrategy(node_id=node.id, soft=False)
        # A retry by Ray would be an attempt that the dispatcher has not counted.
        return {"num_cpus": processors, "max_retries": 0, "scheduling_strategy": existing}


class Running:
    """A running trial on a machine.

    Args:
        ray: the library.
        task: the trial's task.
        is_alive: whether its machine is listed as alive.
        over: called when the trial is no longer awaited.
        late: called if its result arrives after that.
    """

    def __init__(
        self,
        ray: Any,
        task: Any,
        is_alive: Callable[[], bool],
        over: Callable[[], None],
        late: Callable[[], None],
    ) -> None:
        self._ray, self._task = ray, task
        self._is_alive, self._over, self._late = is_alive, over, late
        self._result = task.future()

    def result(self) -> tuple[Delivered, bytes]:
        """Wait for the trial's end; return its result, and its folder as an archive (tar).

        Raises:
            WorkerLostError: the process or its machine was lost, or the machine is listed as dead.
            KeyboardInterrupt: the trial was cancelled.
            FiveninesError: the trial could not run there.
        """
        try:
            answer: tuple[Delivered, bytes] = await_result(self._result, self._is_alive, self._late)
            return answer
        except KeyboardInterrupt:
            self.cancel()
            raise
        except WorkerLostError:
            # If the machine wakes up, the trial must not continue there.
            Background(target=self._ray.cancel, args=(self._task,)).start()
            raise
        except Exception as error:
            raise _failure(error) from error
        finally:
            self._over()

    def cancel(self) -> None:
        """Cancel the trial; its processes end before this returns, or by force a minute later."""
        self._ray.cancel(self._task, force=False)
        done, _ = self._ray.wait([self._task], timeout=PATIENCE)
        if not done:
            self._ray.cancel(self._task, force=True)


class RayWorker:
    """A worker that shares a machine of the cluster with others.

    Args:
        cluster: the cluster.
        node: the worker's machine.
        share: index of its share of the machine's CPUs, from 0.
        of: number of shares.
    """

    def __init__(self, cluster: Cluster, node: Node, share: int, of: int) -> None:
        self.host = node.name
        self.name = node.name if of == 1 else f"{node.name} {share + 1}"
        self._cluster, self._node = cluster, node
        self._place = remote.Place(self.name, self.host, share, of)
        self._running: Running | None = None
        self._interrupted = threading.Event()

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        """Run the order on the machine, and unpack the result."""
        if self._interrupted.is_set():
            raise KeyboardInterrupt
        self._running = self._cluster.run(order, self._node, self._place, listener)
        try:
            delivered, archive = self._running.result()
        finally:
            self._running = None
        remote.unpack(archive, order.folder, delivered, order.attempt)
        return delivered

    def host_available(self) -> bool:
        """Return whether its machine still runs tasks."""
        return self._cluster.is_there(self._node)

    def interrupt(self) -> None:
        """Cancel the task."""
        self._interrupted.set()
        running = self._running
        if running is not None:
            running.cancel()

    def close(self) -> None:
        """Do nothing: the cluster continues to run."""


def _carry_out(order: Order, place: remote.Place, post: Any, box: str) -> tuple[Delivered, bytes]:
    """Run an order as a task on its machine."""
    ray = _library()
    last: list[Any] = []

    def tell(event: Progress) -> None:
        last[:] = [post.put.remote(box, event)]

    try:
        return remote.carry_out(order, place, tell)
    finally:
        # Events must not arrive after the end.
        ray.get(last)


def _nothing() -> None:
    """Do nothing, as a task that shows that the machine runs tasks."""


def _require_answer(address: str) -> None:
    """Check that the address answers and that the cluster accepts the connection: Ray takes minutes for
    that.
    """
    target = address.removeprefix("ray://")
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE_TO_CONNECT).close()
    except (OSError, ValueError, OverflowError) as error:
        raise FiveninesError(f"{address} does not answer: {_line(error)}") from error
    try:
        use_token_if_demanded(address, target)
    except ImportError as error:
        raise _missing() from error


def _connect(ray: Any, address: str) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            ray.init(address, log_to_driver=False, logging_level="ERROR")
            return
        except Exception as error:
            ray.shutdown()
            if attempt < _ATTEMPTS and isinstance(error, ConnectionAbortedError):
                continue
            raise FiveninesError(f"no Ray cluster can be used at {address}: {_line(error)}") from error


def _library() -> Any:
    try:
        import ray  # noqa: PLC0415
    except ImportError as error:
        raise _missing() from error
    return ray


def _missing() -> UsageError:
    return UsageError(f"--on needs Ray, which is not installed: {_INSTALL}")


def _failure(error: Exception) -> BaseException:
    """Convert an exception of a task to one for the campaign."""
    known = _library().exceptions
    if isinstance(error, known.TaskCancelledError):
        return KeyboardInterrupt()
    if isinstance(error, known.RayTaskError):
        cause = getattr(error, "cause", error)
        if isinstance(cause, FiveninesError | KeyboardInterrupt):
            return cause
        if isinstance(cause, ModuleNotFoundError):
            return FiveninesError(f"{_line(cause)}: {_INSTALL} on each machine")
        return unexpected(cause, re.sub(r"\x1b\[[0-9;]*m", "", str(error)))
    if isinstance(error, known.RayError):
        return WorkerLostError(_line(error))
    return FiveninesError(f"the connection with the Ray cluster is lost: {_line(error)}")


def _line(error: BaseException) -> str:
    """Return an error message as one line: the last line of a traceback."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return lines[-1] if "Traceback" in str(error) else lines[0]
