"""List all commands that fivenines runs on machines of an inventory over SSH, for a review in advance.

A word in braces stands for a value that is only known at run time. A test compares this list with real runs.
"""

import re
from collections.abc import Iterator

from fivenines.lab.ssh.login_shell import SUDO, given

# Purpose and commands of each step.
AT_THE_START = (
    ("is the machine enrolled", ("test -f {folder}/enrolled",)),
    ("do other servers use our ports", ("sh -c 'cat /proc/net/tcp {more}'",)),
    (
        "our program, once",
        ("sha256sum {folder}/core/{digest}/fivenines-core", "sh -c 'mkdir -p {and write it}' sh {path}"),
    ),
    (
        "an engine, a data set, our Python, once each",
        (
            "sh -c 'cd \"$1\" {list and digest}' sh {folder}",
            "{core} remote receive --into={folder}/{kind}/{digest}.part",
            "sh -c 'rm -rf \"$1\" {and rename}' sh {folder}/{kind}/{digest}",
        ),
    ),
    (
        "the host, until the trial ends; all its processes are below this one",
        (
            "id -u",
            "{pinned}{core} remote serve --name={host} {more}",
            "flock --timeout={seconds} {folder}/lock true",
        ),
    ),
    (
        "its data",
        (
            "find {folder}/hosts/{host}/node/data -mindepth 1 -delete",
            "cp -a --reflink=auto --sparse=always {folder}/data/{digest}/. {folder}/hosts/{host}/node/data",
            "tar --create --numeric-owner --directory={folder}/hosts/{host}/node/data --file=- .",
            "tar --extract --numeric-owner {more} --directory={folder}/hosts/{host}/node/data --file=-",
            "sync -f {folder}/hosts/{host}/node/data",
        ),
    ),
    (
        "files of the load",
        (
            "mkdir -p {folder}/hosts/{host}/{lent}",
            "sh -c 'cat > \"$1.part\" {and rename}' sh {file}",
            "tar --create --directory={folder}/hosts/{host}/{lent} --file=- .",
        ),
    ),
)

OF_CUTS = ("in a partition", ("nft --file -", "nft --json list counter inet fivenines_{run} dropped"))
OF_LINKS = (
    "for emulated links",
    (
        "nft --file -",
        "sh -c '{ip route get, then} ip link set dev fivenines0 mtu {mtu} up{and}"
        "ip route add default dev fivenines0 {and} ip rule add {mark}'",
    ),
)
OF_ADDRESSES = (
    "for a virtual address",
    ("{core} remote address give {address}", "{core} remote address take {address}"),
)
OF_POWER = ("for host-kill, run on this machine", ("power_off and power_on of the inventory",))


def lines(faults: set[str], slow_links: bool, virtual_address: bool) -> Iterator[str]:
    """Yield the list of commands as text, for a run with these faults, links or a virtual address."""
    steps = [*AT_THE_START]
    if virtual_address:
        steps.append(OF_ADDRESSES)
    if faults & {"partition", "sequence", "repeat"}:
        steps.append(OF_CUTS)
    if slow_links or faults & {"degrade", "sequence", "repeat"}:
        steps.append(OF_LINKS)
    if faults & {"host-kill", "sequence", "repeat"}:
        steps.append(OF_POWER)
    yield "the login shell of the account gets each command as:"
    yield f"    {given(['COMMAND'], sudo=True)}"
    yield "for root without sudo; the commands:"
    for purpose, commands in steps:
        yield f"{purpose}:"
        yield from (f"    {command}" for command in commands)


def is_known(line: str) -> bool:
    """Return whether a command that a machine received is in the list."""
    line = line.removeprefix(SUDO)
    known = [
        command for _, commands in (*AT_THE_START, OF_CUTS, OF_LINKS, OF_ADDRESSES) for command in commands
    ]
    return any(_pattern(command).fullmatch(line) for command in known)


def _pattern(template: str) -> "re.Pattern[str]":
    parts = re.split(r"\{[^}]*\}", template)
    return re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
