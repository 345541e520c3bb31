"""Pipe bytes between a command on another machine and a command here or on a third machine."""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError
from fivenines.lab.ssh.login_shell import after_mark

if TYPE_CHECKING:
    import asyncssh

# Bytes per read.
_PIECE = 1 << 18


async def fed(
    process: "asyncssh.SSHClientProcess[bytes]", name: str, source: Sequence[str]
) -> tuple[str, str]:
    """Pipe the output of a local command to a machine; return the machine's output and the data's digest.

    Raises:
        FiveninesError: a command failed.
    """
    digest = hashlib.sha256()
    local = await asyncio.create_subprocess_exec(
        *source, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, limit=_PIECE
    )
    assert local.stdout is not None
    async with process as remote:
        try:
            while piece := await local.stdout.read(_PIECE):
                digest.update(piece)
                remote.stdin.write(piece)
                await remote.stdin.drain()
            remote.stdin.write_eof()
        except (BrokenPipeError, ConnectionError):
            local.kill()
        output, error = await remote.communicate()
        code = await local.wait()
        status = remote.exit_status
    reason = after_mark(error).strip().splitlines()[-1:]
    if status != 0:
        raise FiveninesError(f"{name}: cannot send files: {''.join(reason) or f'exit code {status}'}")
    if code != 0:
        raise FiveninesError(f"{name}: cannot send files: {source[0]} ended with {code}")
    return output.decode(errors="replace"), digest.hexdigest()


async def fetched(process: "asyncssh.SSHClientProcess[bytes]", name: str, sink: Sequence[str]) -> None:
    """Pipe the output of a machine to a local command.

    Raises:
        FiveninesError: a command failed.
    """
    local = await asyncio.create_subprocess_exec(*sink, stdin=asyncio.subprocess.PIPE)
    assert local.stdin is not None
    async with process as remote:
        while piece := await remote.stdout.read(_PIECE):
            local.stdin.write(piece)
            await local.stdin.drain()
        local.stdin.close()
        error = await remote.stderr.read()
        await remote.wait()
        status, code = remote.exit_status, await local.wait()
    if status != 0 or code != 0:
        reason = after_mark(error).strip().splitlines()[-1:]
        raise FiveninesError(f"{name}: cannot fetch files: {''.join(reason) or (status, code)}")


async def passed(
    reads: "asyncssh.SSHClientProcess[bytes]", writes: "asyncssh.SSHClientProcess[bytes]"
) -> str:
    """Pipe the output of one machine to another; return the error, or an empty text."""
    async with reads as source, writes as target:
        while piece := await source.stdout.read(_PIECE):
            target.stdin.write(piece)
            await target.stdin.drain()
        target.stdin.write_eof()
        errors = [await source.stderr.read(), await target.stderr.read()]
        await source.wait()
        await target.wait()
        failed = source.exit_status != 0 or target.exit_status != 0
    return " ".join(map(after_mark, errors)).strip() or "the copy failed" if failed else ""
