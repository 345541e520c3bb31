"""What `ssh` says of a way to a machine, and which asyncssh is new enough."""

import subprocess
from pathlib import Path

import asyncssh
import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.ssh import login
from fivenines.lab.ssh.keys import locked, require_private, usable
from fivenines.lab.ssh.login import jump, require_library, way
from fivenines.lab.ssh.tokens import revoked

HOME = Path("/home/me")
PLAIN = """\
user me
hostname db1
port 22
compression no
identityfile ~/.ssh/id_rsa
identityfile ~/.ssh/id_ed25519
globalknownhostsfile /etc/ssh/ssh_known_hosts
userknownhostsfile /home/me/.ssh/known_hosts
ciphers a,b
"""


def test_passes_nothing_on_without_a_configuration() -> None:
    found = way("db1", PLAIN, PLAIN, HOME)
    assert (found.host, found.port, found.user) == ("db1", 22, "me")
    assert found.keys is None and found.jumps is None
    assert found.more == []
    assert found.known_hosts == ["/home/me/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"]


def test_passes_keywords_of_a_configuration_on() -> None:
    text = """\
host db1
user bob
hostname 10.0.0.11
port 2222
compression yes
identityfile ~/.ssh/work key
identityfile %d/.ssh/other
certificatefile ~/.ssh/work-cert.pub
globalknownhostsfile /etc/ssh/ssh_known_hosts
userknownhostsfile ~/.ssh/known_work
ciphers a,b
proxyjump bob@gate:22,inner
proxycommand connect %n %h %% %p
localforward 1 [b]:2
"""
    found = way("db1", text, PLAIN, HOME)
    assert (found.host, found.port, found.user) == ("10.0.0.11", 2222, "bob")
    assert found.keys == ["/home/me/.ssh/work key", "/home/me/.ssh/other"]
    assert found.certificates == ["/home/me/.ssh/work-cert.pub"]
    assert found.known_hosts == ["/home/me/.ssh/known_work", "/etc/ssh/ssh_known_hosts"]
    assert found.jumps == "bob@gate:22,inner"
    assert found.more == ["compression yes"]
    assert found.command == "connect db1 10.0.0.11 % 2222"
    assert way("db1", text.replace("bob@gate:22,inner", "none"), PLAIN, HOME).jumps is None


def test_tokens_and_variables_of_paths_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYS", "/keys")
    text = (
        f"{PLAIN}hostkeyalias alias\nidentityfile ~/.ssh/%n-%k-%r-%p-%%\nidentityfile ${{KEYS}}/%h\n"
        "identityagent ~/Library/Group Containers/%r/agent.sock\nrevokedhostkeys ~/revoked\n"
    )
    found = way("db", text, PLAIN, HOME)
    assert found.keys is not None
    assert found.keys[-2:] == ["/home/me/.ssh/db-alias-me-22-%", "/keys/db1"]
    assert 'identityagent "/home/me/Library/Group Containers/me/agent.sock"' in found.more
    assert found.revoked == "/home/me/revoked"
    for wrong, why in (("~/%T", "the token %T"), ("${GONE}/key", "not set: GONE")):
        with pytest.raises(FiveninesError, match=why):
            way("db", f"{PLAIN}identityfile {wrong}\n", PLAIN, HOME)
    with pytest.raises(FiveninesError, match="ProxyUseFdpass"):
        way("db", f"{PLAIN}proxyusefdpass yes\n", PLAIN, HOME)


def test_agents_of_the_environment_stay_as_they_are() -> None:
    for agent in ("none", "SSH_AUTH_SOCK", "$OTHER"):
        assert f"identityagent {agent}" in way("db", f"{PLAIN}identityagent {agent}\n", PLAIN, HOME).more


def test_revoked_host_keys_become_lines_of_known_hosts(tmp_path: Path) -> None:
    file = tmp_path / "revoked"
    file.write_text("# gone\nssh-ed25519 AAAA me\n\n")
    assert revoked(str(file)) == b"@revoked * ssh-ed25519 AAAA me\n"
    file.write_bytes(b"SSHKRL\n\0\0\0")
    with pytest.raises(FiveninesError, match="binary lists are not supported"):
        revoked(str(file))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("gate", ("gate", None, None)),
        ("bob@gate:2222", ("gate", "bob", 2222)),
        ("bob@corp@gate", ("gate", "bob@corp", None)),
        ("ssh://bob@gate:2222", ("gate", "bob", 2222)),
        ("ssh://gate/", ("gate", None, None)),
        ("bob@[fd00::1]:22", ("fd00::1", "bob", 22)),
        ("fd00::1", ("fd00::1", None, None)),
        (" 10.0.0.1 ", ("10.0.0.1", None, None)),
    ],
)
def test_a_jump_host_is_read_as_ssh_reads_it(text: str, read: tuple[str, str | None, int | None]) -> None:
    assert jump(text) == read


def test_refuses_an_invalid_jump_host() -> None:
    for text in ("", "gate:port", "@gate", "bob@", "a/b"):
        with pytest.raises(FiveninesError, match="is not \\[USER@\\]HOST"):
            jump(text)


def test_tries_only_existing_keys(tmp_path: Path) -> None:
    good, encrypted = tmp_path / "good", tmp_path / "encrypted"
    for file, phrase in ((good, ""), (encrypted, "secret")):
        keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", str(file)]
        subprocess.run(keygen, check=True)
    broken, putty, folder = tmp_path / "broken", tmp_path / "key.ppk", tmp_path / "folder"
    broken.write_text("-----BEGIN CERTIFICATE-----\n")
    putty.write_text("PuTTY-User-Key-File-3: ssh-ed25519\n")
    folder.mkdir()
    public = good.with_suffix(".pub")
    files = list(map(str, [good, tmp_path / "missing", encrypted, broken, folder, public, putty]))
    assert usable(files) == [str(good), str(encrypted), str(public)]
    assert locked(files) == [str(encrypted)]
    require_private("db1", str(good))
    require_private("db1", str(encrypted))
    for file, message in [(public, "a public key: name"), (putty, "puttygen"), (broken, "no private key in")]:
        with pytest.raises(FiveninesError, match=f"db1: `key` in the inventory: {file} is .*{message}"):
            require_private("db1", str(file))


def test_a_provider_of_keys_does_not_keep_other_keys_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "find_spec", lambda _: None)
    found = way("db1", PLAIN + "pkcs11provider /usr/lib/opensc.so\n", PLAIN, HOME)
    assert (found.card, found.more) == ("/usr/lib/opensc.so", [])


@pytest.mark.parametrize("version", ["2.18.0", "2.23.0", "1.99"])
def test_an_asyncssh_that_is_too_old_is_named(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    require_library()
    monkeypatch.setattr(asyncssh, "__version__", version)
    with pytest.raises(UsageError, match=f"need asyncssh 2.24 or newer, and {version} is installed"):
        require_library()
