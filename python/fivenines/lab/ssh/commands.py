"""All commands that machines of an inventory are given over SSH, for whoever wants to see them before.

A word in braces stands for what is known when it runs. A test compares what a run gives with what is here.
"""

import re
from collections.abc import Iterator

from fivenines.lab.ssh.login_shell import SUDO, given

AT_THE_START = (
    ("may we use it", ("test -f {folder}/enrolled",)),
    ("who listens where our servers would", ("sh -c 'cat /proc/net/tcp {more}'",)),
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
        "the host, until the trial ends; whatever runs on it is below this process",
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
"""What is done, and by which commands."""

OF_CUTS = ("in a partition", ("nft --file -", "nft --json list counter inet fivenines_{run} dropped"))
OF_LINKS = (
    "where links are slow",
    (
        "nft --file -",
        "sh -c '{ip route get, then} ip link set dev fivenines0 mtu {mtu} up{and}"
        "ip route add default dev fivenines0 {and} ip rule add {mark}'",
    ),
)
OF_POWER = ("in a crash, here and not there", ("power_off and power_on of the inventory",))


def lines(faults: set[str], slow_links: bool) -> Iterator[str]:
    """All of them in words, for a run with these faults, or whose network has links that do something."""
    wanted = [*AT_THE_START]
    if faults & {"partition", "sequence", "repeat"}:
        wanted.append(OF_CUTS)
    if slow_links or faults & {"degrade", "sequence", "repeat"}:
        wanted.append(OF_LINKS)
    if faults & {"host-kill", "sequence", "repeat"}:
        wanted.append(OF_POWER)
    yield "the login shell of the account is given each of these as:"
    yield f"    {given(['COMMAND'], sudo=True)}"
    yield "for root without sudo; the commands:"
    for purpose, commands in wanted:
        yield f"{purpose}:"
        yield from (f"    {command}" for command in commands)


def is_known(line: str) -> bool:
    """Whether a command that a machine was given is one of those."""
    line = line.removeprefix(SUDO)
    every = [one for _, commands in (*AT_THE_START, OF_CUTS, OF_LINKS) for one in commands]
    return any(_pattern(one).fullmatch(line) for one in every)


def _pattern(template: str) -> "re.Pattern[str]":
    parts = re.split(r"\{[^}]*\}", template)
    return re.compile(".*".join(map(re.escape, parts)), re.DOTALL)
