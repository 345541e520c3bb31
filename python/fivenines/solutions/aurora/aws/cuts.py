"""Cuts by security groups: rules that admit a port are removed, and restored.

Removed rules are first written to a file on this machine, so that `fivenines aws sweep` can restore them if
the controller dies. Open connections continue: a security group tracks them, and only new connections are
refused (Amazon EC2 user guide, "Security group connection tracking").
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fivenines.base import paths
from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws.api import Access, Api
from fivenines.solutions.aurora.aws.tags import born

# The removed rules of each group.
Rules = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Cut:
    """Rules that are removed from their groups now, and the file that lists them."""

    file: Path
    access: Access
    rules: Rules


def cut(api: Api, groups: tuple[str, ...], port: int) -> Cut:
    """Remove the rules of these groups that admit new connections to a port.

    Raises:
        FiveninesError: it failed, and nothing stays changed.
    """
    rules = {group: admitting for group in groups if (admitting := api.rules(group, port))}
    if not rules:
        raise FiveninesError(f"no rule of {', '.join(groups) or 'a security group'} admits port {port}")
    wide = [group for group, admitting in rules.items() if any(_is_wider(rule, port) for rule in admitting)]
    if wide:
        raise FiveninesError(
            f"a rule of {', '.join(wide)} admits more than port {port}, so removing it would cut off other "
            "services. Give the cluster a separate security group, with a rule for this port only"
        )
    file = _folder() / f"{'-'.join(rules)}-{os.getpid()}.json"
    made = Cut(file, replace(api.access, region=api.region), rules)
    _write(made)
    try:
        for group, admitting in rules.items():
            api.revoke(group, admitting)
    except BaseException:
        heal(api, made)
        raise
    return made


def heal(api: Api, made: Cut) -> None:
    """Restore the rules.

    Raises:
        FiveninesError: it failed; the file stays for `fivenines aws sweep`.
    """
    for group, removed in made.rules.items():
        api.give_back(group, removed)
    made.file.unlink(missing_ok=True)


def unhealed() -> Iterator[Cut]:
    """Return cuts that a controller of this machine has left."""
    for file in sorted(_folder().glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["born"] != born(content["pid"]):
            yield Cut(file, Access(**content["access"]), content["rules"])


def _folder() -> Path:
    return paths.cache() / "aws"


def _write(made: Cut) -> None:
    made.file.parent.mkdir(parents=True, exist_ok=True)
    pid = os.getpid()
    content = {"pid": pid, "born": born(pid), "access": asdict(made.access), "rules": made.rules}
    # Write the file atomically.
    part = made.file.with_suffix(".part")
    with part.open("w", encoding="utf-8") as stream:
        json.dump(content, stream)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(made.file)


def _is_wider(rule: Mapping[str, Any], port: int) -> bool:
    return (rule.get("FromPort"), rule.get("ToPort")) != (port, port)
