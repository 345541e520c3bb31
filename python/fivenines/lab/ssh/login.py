"""Log in to a machine as `ssh` would: by its configuration, over jump hosts, with the keys that exist.

`ssh -G` prints what the configuration comes to for a name, with its included files and the system's file.
asyncssh reads configuration as well, but not all of it, and it fails where `ssh` only warns: at a key file
that does not exist. Without a program `ssh` here, asyncssh reads `~/.ssh/config` itself.
"""

import asyncio
import os
import pwd
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.ssh.inventory import MachineSettings

if TYPE_CHECKING:
    import asyncssh

# Seconds until a machine must have let us in.
_CONNECT = 15.0

# Seconds between two questions whether the other end is there; the third without an answer ends it.
_ALIVE = 3.0

# Of asyncssh: older versions lose what stands behind an `Include` of `~/.ssh/config`.
_OLDEST = (2, 24)

# Jump hosts one behind the other; more are a circle.
_JUMPS = 8

# Keywords of ssh_config(5) that asyncssh is given, where they differ from the values without a configuration.
_PASSED_ON = frozenset(
    {
        "addressfamily",
        "bindaddress",
        "casignaturealgorithms",
        "ciphers",
        "compression",
        "gssapiauthentication",
        "gssapidelegatecredentials",
        "gssapikeyexchange",
        "hostbasedauthentication",
        "hostkeyalgorithms",
        "hostkeyalias",
        "identitiesonly",
        "identityagent",
        "kexalgorithms",
        "macs",
        "pkcs11provider",
        "preferredauthentications",
        "proxycommand",
        "tcpkeepalive",
    }
)


def require_library() -> None:
    """Make sure that the library is there, and new enough.

    Raises:
        UsageError: it is not; says how it is installed.
    """
    try:
        import asyncssh  # noqa: PLC0415  (an extra: not everybody has it)
    except ImportError:
        raise UsageError("hosts over SSH need the library asyncssh: pip install 'fivenines[ssh]'") from None
    version: str = asyncssh.__version__
    if tuple(int(number) for number in re.findall(r"\d+", version)[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise UsageError(
            f"hosts over SSH need asyncssh {oldest} or newer, and {version} is installed: "
            "pip install --upgrade 'fivenines[ssh]'"
        )


@dataclass(frozen=True)
class Way:
    """How `ssh` would get to a machine.

    Attributes:
        host: name or address that is connected to.
        port: of the SSH server.
        user: who logs in.
        keys: files of private keys that the configuration names; None: it names none.
        certificates: files of certificates of keys.
        known_hosts: files with the keys of hosts.
        jumps: `ProxyJump`.
        more: further lines of configuration.
    """

    host: str
    port: int
    user: str
    keys: list[str] | None = None
    certificates: list[str] = field(default_factory=list)
    known_hosts: list[str] = field(default_factory=list)
    jumps: str | None = None
    more: list[str] = field(default_factory=list)


def way(name: str, found: str, plain: str, home: Path) -> Way:
    """Read what `ssh -G` prints.

    Args:
        name: the name that it was asked about.
        found: what it prints.
        plain: what it prints without a configuration.
        home: the folder that `~` stands for.
    """
    at, without = _keywords(found), _keywords(plain)

    def files(words: Iterable[str]) -> list[str]:
        return [re.sub(r"^(~|%d)(?=/)", str(home), word) for word in words]

    known = " ".join([*at["userknownhostsfile"], *at["globalknownhostsfile"]]).split()
    named = at["identityfile"] != without["identityfile"]
    # asyncssh knows the machine by what it connects to
    more = [
        f"{key} {re.sub('%(.)', lambda m: name if m[1] == 'n' else m[0], value)}"
        for key in sorted(_PASSED_ON & at.keys())
        if at[key] != without[key]
        for value in at[key]
    ]
    return Way(
        host=at["hostname"][0],
        port=int(at["port"][0]),
        user=at["user"][0],
        keys=files(at["identityfile"]) if named else None,
        certificates=files(at["certificatefile"]),
        known_hosts=files(known),
        jumps=next((one for one in at["proxyjump"] if one != "none"), None),
        more=more,
    )


def _keywords(text: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        found[key.lower()].append(value)
    return found


def jump(text: str) -> tuple[str, str | None, int | None]:
    """Return name, user and port of one jump host: `[ssh://][USER@]HOST[:PORT]`.

    Raises:
        FiveninesError: it is none.
    """
    shape = r"(?:ssh://)?(?:(?P<user>[^/]+)@)?(?:\[(?P<v6>[^]]+)\]|(?P<host>[^@:/\[\]]+|[0-9a-fA-F:]{3,}))(?::(?P<port>\d+))?/?"
    found = re.fullmatch(shape, text.strip())
    if found is None:
        raise FiveninesError(f"ProxyJump {text!r} is not [USER@]HOST[:PORT]")
    return (found["v6"] or found["host"], found["user"], int(found["port"]) if found["port"] else None)


async def _asked(at: str, user: str | None, port: int | None) -> Way | None:
    """What `ssh` says; nothing where there is no such program."""
    program = shutil.which("ssh")
    if program is None:
        return None
    options = [f"-l{user}"] if user is not None else []
    options += [f"-p{port}"] if port is not None else []
    texts: list[str] = []
    for configuration in (["-Fnone"], []):
        asked = await asyncio.create_subprocess_exec(
            program,
            "-G",
            "-T",
            *configuration,
            *options,
            "--",
            at,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, error = await asked.communicate()
        if asked.returncode != 0 and not texts:
            # an `ssh` that cannot say so, as dropbear's
            return None
        if asked.returncode != 0:
            said = " ".join(error.decode(errors="replace").split())
            raise FiveninesError(f"ssh cannot read how to get there: {said}")
        texts.append(output.decode(errors="replace"))
    return way(at, texts[1], texts[0], Path(pwd.getpwuid(os.getuid()).pw_dir))


def usable(keys: Iterable[str]) -> list[str]:
    """Return the files that hold a key; `ssh` passes over the others.

    A key may need a passphrase: then an agent may have it.
    """
    import asyncssh  # noqa: PLC0415

    found = []
    for file in keys:
        try:
            asyncssh.read_private_key(file)
        except OSError:
            continue
        except asyncssh.KeyImportError as error:
            if "passphrase" not in str(error).lower() and not file.endswith(".pub"):
                continue
        found.append(file)
    return found


async def connected(name: str, machine: MachineSettings) -> "list[asyncssh.SSHClientConnection]":
    """Log in to a machine of an inventory; the connections to jump hosts first, to it last.

    Raises:
        FiveninesError: it cannot be reached, or does not let us in; says why.
    """
    own: dict[str, Any] = {}
    for key in ("key", "known_hosts"):
        file = getattr(machine, key)
        if file is not None and not Path(file).is_file():
            raise FiveninesError(f"{name}: `{key}` of the inventory names {file}, which is no file")
    if machine.key is not None:
        own["client_keys"] = [machine.key]
    if machine.known_hosts is not None:
        own["known_hosts"] = machine.known_hosts
    at = machine.ssh or str(machine.address)
    made: list[asyncssh.SSHClientConnection] = []
    try:
        await _reach(name, made, (at, machine.user, machine.port), None, own, _JUMPS)
    except BaseException:
        for one in reversed(made):
            one.close()
        raise
    return made


async def _reach(
    name: str,
    made: "list[asyncssh.SSHClientConnection]",
    to: tuple[str, str | None, int | None],
    jumps: str | None,
    own: Mapping[str, Any],
    left: int,
) -> None:
    """Log in to one machine, by the jump hosts that are given, or else by those of its configuration."""
    at, user, port = to
    if left < 0:
        raise FiveninesError(f"{name}: the jump hosts of {at} lead in a circle (ProxyJump)")
    try:
        found = await _asked(at, user, port)
        jumps = jumps or (found.jumps if found is not None else None)
        before, _, last = (jumps or "").rpartition(",")
        through = jump(last) if last else None
    except FiveninesError as error:
        raise FiveninesError(f"{name}: {at}: {error}") from None
    if through is not None:
        await _reach(name, made, through, before or None, {}, left - 1)
    with tempfile.NamedTemporaryFile("w", prefix="fivenines-ssh-") as file:
        options: dict[str, Any] = {"keepalive_interval": _ALIVE, "login_timeout": _CONNECT}
        if found is None:
            options["host"] = at
            options |= {} if user is None else {"username": user}
            options |= {} if port is None else {"port": port}
        else:
            keys = [f'IdentityFile "{one}"' for one in usable(found.keys or ())]
            signed = [f'CertificateFile "{one}"' for one in found.certificates if Path(one).is_file()]
            file.write("\n".join([*found.more, *keys, *signed]) + "\n")
            file.flush()
            known = [one for one in found.known_hosts if os.access(one, os.R_OK)]
            options |= {"host": found.host, "port": found.port, "username": found.user}
            # none at all would let in any
            options |= {"config": [file.name], "known_hosts": known or b""}
        if made:
            options["tunnel"] = made[-1]
        made.append(await _logged_in(name, at, {**options, **own}, ends=left == _JUMPS))


async def _logged_in(
    name: str, at: str, options: dict[str, Any], ends: bool
) -> "asyncssh.SSHClientConnection":
    """Log in to the machine itself, where the way ends, or to a jump host."""
    import asyncssh  # noqa: PLC0415

    alias, what = at, at if ends else f"the jump host {at}"
    known, key = "`known_hosts` in the inventory", "`key` in the inventory"
    if not ends:
        known, key = "UserKnownHostsFile in ~/.ssh/config", "IdentityFile in ~/.ssh/config"
    try:
        return await asyncio.wait_for(asyncssh.connect(**options), _CONNECT)
    except TimeoutError:
        raise FiveninesError(f"{name}: no answer from {what} over SSH within {_CONNECT:g} s") from None
    except asyncssh.HostKeyNotVerifiable:
        raise FiveninesError(
            f"{name}: the key of {what} is not known: log in once by `ssh {alias}` and check it, or name "
            f"the file that has it by {known}"
        ) from None
    except asyncssh.PermissionDenied:
        who = options.get("username", "this user")
        raise FiveninesError(
            f"{name}: {what} does not let {who} in: add the public key to its authorized_keys, or name "
            f"the private one by {key}"
        ) from None
    except (OSError, ValueError, asyncssh.Error) as error:
        raise FiveninesError(f"{name}: {what} cannot be reached over SSH: {error}") from None
