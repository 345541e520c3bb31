"""What `ssh` says of a way to a machine, and which asyncssh is new enough."""

import subprocess
from pathlib import Path

import asyncssh
import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.ssh.login import jump, require_library, usable, way

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
    # the name that was asked about is known here alone
    assert found.more == ["compression yes", "proxycommand connect db1 %h %% %p"]
    assert way("db1", text.replace("bob@gate:22,inner", "none"), PLAIN, HOME).jumps is None


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
    good, locked = tmp_path / "good", tmp_path / "locked"
    for file, phrase in ((good, ""), (locked, "secret")):
        keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", str(file)]
        subprocess.run(keygen, check=True)
    broken, folder = tmp_path / "broken", tmp_path / "folder"
    broken.write_text("PuTTY-User-Key-File-3: ssh-ed25519\n")
    folder.mkdir()
    public = good.with_suffix(".pub")
    files = [good, tmp_path / "missing", locked, broken, folder, public]
    assert usable(map(str, files)) == [str(good), str(locked), str(public)]


@pytest.mark.parametrize("version", ["2.18.0", "2.23.0", "1.99"])
def test_an_asyncssh_that_is_too_old_is_named(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    require_library()
    monkeypatch.setattr(asyncssh, "__version__", version)
    with pytest.raises(UsageError, match=f"need asyncssh 2.24 or newer, and {version} is installed"):
        require_library()
