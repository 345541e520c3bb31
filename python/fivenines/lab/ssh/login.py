"""Log in to a machine as `ssh` does: with its configuration, jump hosts and existing keys.

`ssh -G` prints the complete configuration for a name, including the system's file. asyncssh also reads
configuration files, but not all keywords, and it fails if a key file does not exist, where `ssh` only warns.
Without the program `ssh`, asyncssh reads `~/.ssh/config` itself.
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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.ssh import tokens
from fivenines.lab.ssh.inventory import MachineSettings
from fivenines.lab.ssh.keys import locked, require_private, usable

if TYPE_CHECKING:
    import asyncssh

# Time limit of a login, in seconds.
_CONNECT = 15.0

# Seconds between keepalive messages; the third one without an answer ends the connection.
_ALIVE = 3.0

# Oldest supported version of asyncssh: older ones ignore lines after an `Include` of `~/.ssh/config`.
_OLDEST = (2, 24)

# Values of UserKnownHostsFile with which no key is kept.
_KEEP_NOTHING = ("/dev/null", "none")

# Maximum number of jump hosts in a chain; more are a loop.
_JUMPS = 8

# Keywords of ssh_config(5) that are passed to asyncssh if they differ from the defaults.
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
        "kexalgorithms",
        "macs",
        "pkcs11provider",
        "preferredauthentications",
        "tcpkeepalive",
    }
)


def require_library() -> None:
    """Check that asyncssh is installed and new enough.

    Raises:
        UsageError: it is missing or too old; the message has the command to install it.
    """
    try:
        import asyncssh  # noqa: PLC0415  (an optional dependency)
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
    """The settings with which `ssh` would connect to a machine.

    Attributes:
        host: name or address to connect to.
        port: port of the SSH server.
        user: login user.
        keys: files with private keys in the configuration; None: the configuration has none.
        certificates: files with certificates of keys.
        known_hosts: files with the keys of hosts.
        users_hosts: those of them that are the user's.
        jumps: value of `ProxyJump`.
        command: the shell's command that connects, of `ProxyCommand`; empty: none.
        card: library of a smart card, if its keys cannot be read here; empty: none.
        revoked: file with the keys of hosts that are refused; empty: none.
        more: further lines of the configuration.
    """

    host: str
    port: int
    user: str
    keys: list[str] | None = None
    certificates: list[str] = field(default_factory=list)
    known_hosts: list[str] = field(default_factory=list)
    users_hosts: list[str] = field(default_factory=list)
    jumps: str | None = None
    command: str = ""
    card: str = ""
    revoked: str = ""
    more: list[str] = field(default_factory=list)


def way(name: str, configured: str, plain: str, home: Path) -> Way:
    """Parse the output of `ssh -G`.

    Args:
        name: host name that was passed to ssh.
        configured: output with the configuration.
        plain: output without a configuration.
        home: the folder that `~` stands for.
    """
    at, without = _keywords(configured), _keywords(plain)

    def value(key: str, none: tuple[str, ...] = ("none",)) -> str:
        return next((text for text in at[key] if text not in none), "")

    letters = tokens.tokens(
        name, at["hostname"][0], at["port"][0], at["user"][0], value("hostkeyalias"), home
    )

    def files(words: Iterable[str]) -> list[str]:
        return [tokens.path(word, letters) for word in words]

    if value("proxyusefdpass") == "yes":
        raise FiveninesError("ProxyUseFdpass in ~/.ssh/config is not supported: leave it out")
    known = " ".join([*at["userknownhostsfile"], *at["globalknownhostsfile"]]).split()
    named = at["identityfile"] != without["identityfile"]
    # With a provider and without this library asyncssh would not try other keys, either.
    card = "" if find_spec("pkcs11") else value("pkcs11provider")
    more = [
        f"{key} {text}"
        for key in sorted(_PASSED_ON & at.keys())
        if at[key] != without[key] and (key != "pkcs11provider" or not card)
        for text in at[key]
    ]
    if at["identityagent"] != without["identityagent"]:
        agent = at["identityagent"][0]
        if agent not in ("none", "SSH_AUTH_SOCK") and not agent.startswith("$"):
            # asyncssh replaces tokens, too.
            agent = '"' + tokens.path(agent, letters).replace("%", "%%") + '"'
        more.append(f"identityagent {agent}")
    return Way(
        host=at["hostname"][0],
        port=int(at["port"][0]),
        user=at["user"][0],
        keys=files(at["identityfile"]) if named else None,
        certificates=files(at["certificatefile"]),
        known_hosts=files(known),
        users_hosts=files(" ".join(at["userknownhostsfile"]).split()),
        jumps=value("proxyjump") or None,
        command=tokens.expanded(value("proxycommand"), letters),
        card=card,
        revoked=tokens.path(value("revokedhostkeys"), letters),
        more=more,
    )


def _keywords(text: str) -> Mapping[str, list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        values[key.lower()].append(value)
    return values


def jump(text: str) -> tuple[str, str | None, int | None]:
    """Return name, user and port of one jump host: `[ssh://][USER@]HOST[:PORT]`.

    Raises:
        FiveninesError: the text does not have this form.
    """
    shape = r"(?:ssh://)?(?:(?P<user>[^/]+)@)?(?:\[(?P<v6>[^]]+)\]|(?P<host>[^@:/\[\]]+|[0-9a-fA-F:]{3,}))(?::(?P<port>\d+))?/?"
    match = re.fullmatch(shape, text.strip())
    if match is None:
        raise FiveninesError(f"ProxyJump {text!r} is not [USER@]HOST[:PORT]")
    return (match["v6"] or match["host"], match["user"], int(match["port"]) if match["port"] else None)


async def _asked(at: str, user: str | None, port: int | None) -> Way | None:
    """Return the settings that `ssh -G` prints; None without a usable program `ssh`."""
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
            # This `ssh` has no option -G, for example dropbear's.
            return None
        if asked.returncode != 0:
            reason = " ".join(error.decode(errors="replace").split())
            raise FiveninesError(f"ssh cannot read its configuration for this host: {reason}")
        texts.append(output.decode(errors="replace"))
    return way(at, texts[1], texts[0], Path(pwd.getpwuid(os.getuid()).pw_dir))


async def connected(name: str, machine: MachineSettings) -> "list[asyncssh.SSHClientConnection]":
    """Log in to a machine; return the connections to its jump hosts, and to the machine as the last one.

    Raises:
        FiveninesError: the machine cannot be reached or refuses the login; the message gives the reason.
    """
    own: dict[str, Any] = {}
    for key in ("key", "known_hosts"):
        file = getattr(machine, key)
        if file is not None and not Path(file).is_file():
            raise FiveninesError(f"{name}: `{key}` in the inventory: the file {file} does not exist")
    if machine.key is not None:
        require_private(name, machine.key)
        # An agent can have the key if it has a passphrase.
        own |= {"client_keys": [machine.key], "ignore_encrypted": True}
    if machine.known_hosts is not None:
        own["known_hosts"] = machine.known_hosts
    at = machine.ssh or str(machine.address)
    made: list[asyncssh.SSHClientConnection] = []
    try:
        await _reach(name, made, (at, machine.user, machine.port), None, own, _JUMPS)
    except BaseException:
        for connection in reversed(made):
            connection.close()
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
    """Log in to one machine through the given jump hosts, or through those of its configuration."""
    at, user, port = to
    if left < 0:
        raise FiveninesError(f"{name}: the jump hosts of {at} form a loop: check ProxyJump in ~/.ssh/config")
    try:
        configured = await _asked(at, user, port)
        jumps = jumps or (configured.jumps if configured is not None else None)
        before, _, last = (jumps or "").rpartition(",")
        through = jump(last) if last else None
    except FiveninesError as error:
        raise FiveninesError(f"{name}: {at}: {error}") from None
    if through is not None:
        await _reach(name, made, through, before or None, {}, left - 1)
    with tempfile.NamedTemporaryFile("w", prefix="fivenines-ssh-") as file:
        options: dict[str, Any] = {"keepalive_interval": _ALIVE, "login_timeout": _CONNECT}
        if configured is None:
            options["host"] = at
            options |= {} if user is None else {"username": user}
            options |= {} if port is None else {"port": port}
        else:
            keys = [f'IdentityFile "{key}"' for key in usable(configured.keys or ())]
            signed = [f'CertificateFile "{path}"' for path in configured.certificates if Path(path).is_file()]
            file.write("\n".join([*configured.more, *keys, *signed]) + "\n")
            file.flush()
            options |= {"host": configured.host, "port": configured.port, "username": configured.user}
            options |= {"config": [file.name], "known_hosts": _known(name, configured)}
            if configured.command:
                options["proxy_command"] = _proxy(configured.command)
        if made:
            options["tunnel"] = made[-1]
        options |= own
        remedies = _remedies(configured, options)
        made.append(await _logged_in(name, at, options, remedies, ends=left == _JUMPS))


def _proxy(command: str) -> list[str]:
    """Return the words that run a `ProxyCommand` in the user's shell, as ssh does.

    asyncssh takes the end of standard error, as after `2>/dev/null`, for the end of the connection, so a
    shell that waits keeps it open. An inherited descriptor would not do: `ssh` closes all of them.
    """
    shell = os.environ.get("SHELL") or "/bin/sh"
    return ["/bin/sh", "-c", '"$0" -c "$1"; exit $?', shell, f"exec {command}"]


def _known(name: str, configured: Way) -> list[str] | bytes:
    """Return the files with the keys of hosts, or their content; an empty list would accept any key.

    Raises:
        FiveninesError: the revoked keys cannot be read.
    """
    known = [path for path in configured.known_hosts if os.access(path, os.R_OK)]
    if not configured.revoked:
        # In place of an empty text asyncssh would take the user's default file.
        return known or b"\n"
    try:
        own = tokens.revoked(configured.revoked)
    except FiveninesError as error:
        raise FiveninesError(f"{name}: {error}") from None
    return own + b"\n".join(Path(path).read_bytes() for path in known)


@dataclass(frozen=True)
class _Remedies:
    """What a user can do about a failed login; empty: the usual."""

    unknown_host: str = ""
    refused: str = ""


def _remedies(configured: Way | None, options: Mapping[str, Any]) -> _Remedies:
    """Return what is special about a login that may fail."""
    host, port = options["host"], options.get("port", 22)
    unknown = ""
    own = isinstance(options.get("known_hosts"), str)
    kept = configured is None or any(file not in _KEEP_NOTHING for file in configured.users_hosts)
    if not kept and not own:
        unknown = (
            "UserKnownHostsFile in ~/.ssh/config keeps no keys. Save them by "
            f"`ssh-keyscan -p {port} {host} > FILE`, compare them with the machine's, and set"
        )
    keys = options.get("client_keys") or (configured.keys if configured is not None else None)
    refused = ""
    if phrases := [f"`ssh-add {file}`" for file in locked(keys or ())]:
        refused = f"add the key with a passphrase to an agent by {' or '.join(phrases)}"
    elif configured is not None and configured.card:
        refused = "for the keys of PKCS11Provider run `pip install 'asyncssh[pkcs11]'`"
    return _Remedies(unknown, refused)


async def _logged_in(
    name: str, at: str, options: dict[str, Any], remedies: _Remedies, ends: bool
) -> "asyncssh.SSHClientConnection":
    """Log in to the machine itself (`ends`), or to a jump host."""
    import asyncssh  # noqa: PLC0415

    alias, what = at, at if ends else f"the jump host {at}"
    known, key = "`known_hosts` in the inventory", "`key` in the inventory"
    if not ends:
        known, key = "UserKnownHostsFile in ~/.ssh/config", "IdentityFile in ~/.ssh/config"
    try:
        return await asyncio.wait_for(asyncssh.connect(**options), _CONNECT)
    except TimeoutError:
        raise FiveninesError(f"{name}: no answer from {what} over SSH within {_CONNECT:g} s") from None
    except asyncssh.HostKeyNotVerifiable as error:
        if "revoked" in str(error).lower():
            raise FiveninesError(f"{name}: the host key of {what} is revoked (RevokedHostKeys)") from None
        store = remedies.unknown_host or f"log in once with `ssh {alias}`, or set"
        raise FiveninesError(
            f"{name}: the host key of {what} is unknown: {store} the file with the key by {known}"
        ) from None
    except asyncssh.PermissionDenied:
        who = options.get("username", "this user")
        first = remedies.refused or "add the public key to authorized_keys"
        raise FiveninesError(
            f"{name}: {what} refuses the login of {who}: {first}, or set the private key by {key}"
        ) from None
    except (OSError, ValueError, asyncssh.Error) as error:
        raise FiveninesError(f"{name}: {what} cannot be reached over SSH: {error}") from None
