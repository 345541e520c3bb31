"""Run the web server on the loopback address."""

import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import uvicorn

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.report.live import usage
from fivenines.report.live.app import Server
from fivenines.report.live.guard import Tokens
from fivenines.report.live.launch import Launcher, give_way
from fivenines.report.live.runs import Runs

ADDRESS = "127.0.0.1"

# Size in bytes of the kernel's send buffer per viewer; newer data stays in the run's files.
_UNREAD = 64 * 1024

# Called with the page's URL once the server answers.
Ready = Callable[[str], None]


def serve(root: Path, port: int, ready: Ready) -> None:
    """Serve until SIGINT or SIGTERM, which raise KeyboardInterrupt in the main thread or end the process.

    Args:
        root: a folder of runs, or one run.
        port: the port; 0: any free port.
        ready: called with the URL.

    Raises:
        FiveninesError: the port is not available.
    """
    listening = _listen(port)
    tokens = Tokens(listening.getsockname()[1])
    launcher = Launcher()
    usage.set_name()
    with listening, tempfile.TemporaryDirectory(prefix="fivenines-serve-") as scratch:
        app = Server(Runs(root), tokens, Path(scratch), launcher).app()
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
            server_header=False,
            date_header=False,
        )
        server = uvicorn.Server(config)
        thread = Background(target=_answer, args=(server, listening, launcher))
        thread.start()
        ready(tokens.url)
        try:
            launcher.serve()
        finally:
            server.should_exit = True
            thread.join(3.0)


def _answer(server: uvicorn.Server, listening: socket.socket, launcher: Launcher) -> None:
    give_way()
    try:
        server.run(sockets=[listening])
    finally:
        launcher.end()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit it from the listening socket.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        listening.bind((ADDRESS, port))
        listening.listen(64)
    except OSError as error:
        listening.close()
        raise FiveninesError(f"--port: cannot listen on port {port}: {error.strerror}") from None
    return listening
