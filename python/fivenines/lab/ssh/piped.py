"""Bytes between a command on another machine and one here, or on a third machine."""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fivenines.errors import FiveninesError
from fivenines.lab.ssh.login_shell import after_mark

if TYPE_CHECKING:
    import asyncssh

# Bytes that are moved at a time.
_PIECE = 1 << 18


async def fed(
    process: "asyncssh.SSHClientProcess[bytes]", name: str, source: Sequence[str]
) -> tuple[str, str]:
    """Let a machine read what a command here writes; its output, and the digest of what it was given.

    Raises:
        FiveninesError: one of the two failed.
    """
    digest = hashlib.sha256()
    here = await asyncio.create_subprocess_exec(
        *source, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, limit=_PIECE
    )
    assert here.stdout is not None
    async with process as there:
        try:
            while piece := await here.stdout.read(_PIECE):
                digest.update(piece)
                there.stdin.write(piece)
                await there.stdin.drain()
            there.stdin.write_eof()
        except (BrokenPipeError, ConnectionError):
            here.kill()
        output, error = await there.communicate()
        code = await here.wait()
        status = there.exit_status
    said = after_mark(error).strip().splitlines()[-1:]
    if status != 0:
        raise FiveninesError(f"{name}: files could not be sent: {''.join(said) or f'exit code {status}'}")
    if code != 0:
        raise FiveninesError(f"{name}: files could not be sent: {source[0]} ended with {code}")
    return output.decode(errors="replace"), digest.hexdigest()


async def fetched(process: "asyncssh.SSHClientProcess[bytes]", name: str, sink: Sequence[str]) -> None:
    """Let a command here read what a machine writes.

    Raises:
        FiveninesError: one of the two failed.
    """
    here = await asyncio.create_subprocess_exec(*sink, stdin=asyncio.subprocess.PIPE)
    assert here.stdin is not None
    async with process as there:
        while piece := await there.stdout.read(_PIECE):
            here.stdin.write(piece)
            await here.stdin.drain()
        here.stdin.close()
        error = await there.stderr.read()
        await there.wait()
        status, code = there.exit_status, await here.wait()
    if status != 0 or code != 0:
        said = after_mark(error).strip().splitlines()[-1:]
        raise FiveninesError(f"{name}: files could not be fetched: {''.join(said) or (status, code)}")


async def passed(
    reads: "asyncssh.SSHClientProcess[bytes]", writes: "asyncssh.SSHClientProcess[bytes]"
) -> str:
    """Let one machine read what another writes; what went wrong, or nothing."""
    async with reads as source, writes as target:
        while piece := await source.stdout.read(_PIECE):
            target.stdin.write(piece)
            await target.stdin.drain()
        target.stdin.write_eof()
        said = [await source.stderr.read(), await target.stderr.read()]
        await source.wait()
        await target.wait()
        failed = source.exit_status != 0 or target.exit_status != 0
    return " ".join(map(after_mark, said)).strip() or "it failed" if failed else ""
