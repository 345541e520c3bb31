"""Runs the server on loopback until it is told to end."""

import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn

from fivenines.errors import FiveninesError
from fivenines.serve import usage
from fivenines.serve.app import Server
from fivenines.serve.guard import Tokens
from fivenines.serve.launch import Launcher, give_way
from fivenines.serve.runs import Runs

ADDRESS = "127.0.0.1"

# Bytes that wait for a viewer in the kernel; what is newer waits in the run's own files.
_UNREAD = 64 * 1024

# Told where the page is, once it answers.
Ready = Callable[[str], None]


def serve(root: Path, port: int, ready: Ready) -> None:
    """Answer until SIGINT or SIGTERM, which raise KeyboardInterrupt in the main thread or end the process.

    Args:
        root: a folder of runs, or one run.
        port: where to listen; 0: any that is free.
        ready: told the URL.

    Raises:
        FiveninesError: nothing can listen there.
    """
    listening = _listen(port)
    tokens = Tokens(listening.getsockname()[1])
    launcher = Launcher()
    usage.tell_name()
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
        thread = threading.Thread(target=_answer, args=(server, listening, launcher), daemon=True)
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
        # connections have it from the socket that takes them
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        listening.bind((ADDRESS, port))
        listening.listen(64)
    except OSError as error:
        listening.close()
        raise FiveninesError(f"--port: nothing can listen on port {port}: {error.strerror}") from None
    return listening
