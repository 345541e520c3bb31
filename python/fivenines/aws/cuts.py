"""Cuts by security groups: rules that let a port in are taken out, and put back.

What is taken out is written down first, on this machine: a controller that dies leaves it to `fivenines aws
sweep`. Connections that are open go on: a security group tracks them, and only new ones are refused (Amazon
EC2 user guide, "Security group connection tracking").
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fivenines import paths
from fivenines.aws.api import Access, Api
from fivenines.aws.tags import born
from fivenines.errors import FiveninesError

Rules = Mapping[str, list[dict[str, Any]]]
"""The rules that were taken out of each group."""


@dataclass(frozen=True)
class Cut:
    """Rules that are out of their groups now, and the file that says so."""

    file: Path
    access: Access
    rules: Rules


def cut(api: Api, groups: tuple[str, ...], port: int) -> Cut:
    """Let no new connection to a port in, by these groups.

    Raises:
        FiveninesError: it could not be done; nothing stays changed.
    """
    rules = {group: found for group in groups if (found := api.rules(group, port))}
    if not rules:
        raise FiveninesError(f"no rule of {', '.join(groups) or 'a security group'} lets port {port} in")
    wide = [group for group, found in rules.items() if any(_is_wider(one, port) for one in found)]
    if wide:
        raise FiveninesError(
            f"a rule of {', '.join(wide)} lets in more than port {port}: what others have there would be "
            "cut off as well. Give the cluster a security group of its own, with a rule for this port alone"
        )
    file = _folder() / f"{'-'.join(rules)}-{os.getpid()}.json"
    made = Cut(file, replace(api.access, region=api.region), rules)
    _write(made)
    try:
        for group, found in rules.items():
            api.revoke(group, found)
    except BaseException:
        heal(api, made)
        raise
    return made


def heal(api: Api, made: Cut) -> None:
    """Put the rules back.

    Raises:
        FiveninesError: they could not be; the file stays, for `fivenines aws sweep`.
    """
    for group, found in made.rules.items():
        api.give_back(group, found)
    made.file.unlink(missing_ok=True)


def unhealed() -> Iterator[Cut]:
    """Cuts that a controller of this machine has left."""
    for file in sorted(_folder().glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        if told["born"] != born(told["pid"]):
            yield Cut(file, Access(**told["access"]), told["rules"])


def _folder() -> Path:
    return paths.cache() / "aws"


def _write(made: Cut) -> None:
    made.file.parent.mkdir(parents=True, exist_ok=True)
    pid = os.getpid()
    told = {"pid": pid, "born": born(pid), "access": asdict(made.access), "rules": made.rules}
    # whole, or not there
    part = made.file.with_suffix(".part")
    with part.open("w", encoding="utf-8") as stream:
        json.dump(told, stream)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(made.file)


def _is_wider(rule: Mapping[str, Any], port: int) -> bool:
    return (rule.get("FromPort"), rule.get("ToPort")) != (port, port)
