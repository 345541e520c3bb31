"""Check HAProxy's settings against its runtime API and its configuration file.

The runtime API does not show the interval of health checks, which is read from the configuration file.
Source: HAProxy 2.6 management guide, "show stat".
"""

import csv
from collections.abc import Mapping, Sequence

from fivenines.servers.in_effect import Finding

_CHECKED = {"fall": "check_fall", "rise": "check_rise"}
_OUT = ("MAINT", "DRAIN")

_CHANGED = "it was changed by the runtime API"


def rows_of(answer: str) -> list[dict[str, str]]:
    """Parse `show stat` into one dictionary for each server, by column name."""
    rows = list(csv.DictReader(answer.removeprefix("# ").splitlines()))
    return [one for one in rows if one["svname"] not in ("FRONTEND", "BACKEND")]


def findings(
    place: str, asked: Mapping[str, object], addresses: Mapping[str, str], rows: Sequence[Mapping[str, str]]
) -> list[Finding]:
    """Return the settings that its servers do not have.

    Args:
        place: HAProxy's host.
        asked: settings of the access layer.
        addresses: of each node, by its name in HAProxy.
        rows: its servers, see `rows_of`.
    """
    found: list[Finding] = []
    for row in rows:
        name = f"{row['pxname']}/{row['svname']}"
        for key, column in _CHECKED.items():
            now, wanted = row.get(column, ""), str(asked[key])
            if now and now != wanted:
                found.append(Finding(place, f"access.{key} of {name}", wanted, now, "differs", _CHANGED))
        wanted, now = addresses.get(row["svname"], ""), row.get("addr", "")
        if wanted and now and wanted != now:
            found.append(Finding(place, f"address of {name}", wanted, now, "differs", _CHANGED))
        if row["status"].startswith(_OUT):
            found.append(Finding(place, f"state of {name}", "ready", row["status"], "differs", _CHANGED))
    return found
