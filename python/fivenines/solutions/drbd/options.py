"""Options of DRBD's sections net and disk: their spellings, and what DRBD would refuse.

Source of names and ranges: `drbdsetup-84 help net-options`, `disk-options` and `attach` of drbd-utils 9.22.
Options have `-` in a resource file and `_` in experiment files; both are accepted.
"""

import re
from collections.abc import Mapping

from fivenines.base.spelling import nearest
from fivenines.solutions.reserved import by_key

Value = str | int | float | bool

# Lowest and highest number, or the words that DRBD accepts; none of them: a text.
_Allowed = tuple[int, int] | tuple[str, ...]

_SWITCH: _Allowed = ("yes", "no")
_TEXT: _Allowed = ()
_STRIPES = tuple(f"{size}-striping" for size in ("32K", "64K", "128K", "256K", "512K", "1M"))

_NET: dict[str, _Allowed] = {
    "timeout": (1, 600),
    "max_epoch_size": (1, 20000),
    "max_buffers": (32, 131072),
    "unplug_watermark": (1, 131072),
    "connect_int": (1, 120),
    "ping_int": (1, 120),
    "ping_timeout": (1, 300),
    "sndbuf_size": (0, 10485760),
    "rcvbuf_size": (0, 10485760),
    "ko_count": (0, 200),
    "congestion_fill": (0, 20971520),
    "congestion_extents": (67, 65534),
    "socket_check_timeout": (0, 300),
    "allow_two_primaries": _SWITCH,
    "always_asbp": _SWITCH,
    "tcp_cork": _SWITCH,
    "csums_after_crash_only": _SWITCH,
    "use_rle": _SWITCH,
    "cram_hmac_alg": _TEXT,
    "shared_secret": _TEXT,
    "data_integrity_alg": _TEXT,
    "csums_alg": _TEXT,
    "verify_alg": _TEXT,
    "on_congestion": ("block", "pull-ahead", "disconnect"),
    "rr_conflict": ("disconnect", "call-pri-lost", "violently"),
    "after_sb_0pri": (
        "disconnect",
        "discard-younger-primary",
        "discard-older-primary",
        "discard-zero-changes",
        "discard-least-changes",
        "discard-local",
        "discard-remote",
    ),
    "after_sb_1pri": (
        "disconnect",
        "consensus",
        "discard-secondary",
        "call-pri-lost-after-sb",
        "violently-as0p",
    ),
    "after_sb_2pri": ("disconnect", "call-pri-lost-after-sb", "violently-as0p"),
}
_DISK: dict[str, _Allowed] = {
    "size": (0, 2**41),
    "max_bio_bvecs": (0, 128),
    "on_io_error": ("pass_on", "call-local-io-error", "detach"),
    "disk_barrier": _SWITCH,
    "disk_flushes": _SWITCH,
    "disk_drain": _SWITCH,
    "md_flushes": _SWITCH,
    "al_updates": _SWITCH,
    "discard_zeroes_if_aligned": _SWITCH,
    "disable_write_same": _SWITCH,
    "resync_rate": (1, 4194304),
    "resync_after": _TEXT,
    "al_extents": (67, 65534),
    "c_plan_ahead": (0, 300),
    "c_delay_target": (1, 100),
    "c_fill_target": (0, 1048576),
    "c_max_rate": (250, 4194304),
    "c_min_rate": (0, 4194304),
    "disk_timeout": (0, 6000),
    "rs_discard_granularity": (0, 1048576),
    "read_balancing": (
        "prefer-local",
        "prefer-remote",
        "round-robin",
        "least-pending",
        "when-congested-remote",
        *_STRIPES,
    ),
}
_SECTIONS = {"net": _NET, "disk": _DISK}

# Times in seconds or in tenths of a second. No suffix is accepted: DRBD would read the s of 10s as sectors.
_TIMES = (
    "timeout",
    "connect_int",
    "ping_int",
    "ping_timeout",
    "socket_check_timeout",
    "c_plan_ahead",
    "c_delay_target",
    "disk_timeout",
)

_OWN = {
    "protocol": by_key("protocol"),
    "fencing": "the failover manager has a key for it: write `manager: {fence: true}`, or leave it out",
}

# Switches without which a node acknowledges what is in its disk's cache. `disk_drain` decides only where
# `disk_flushes` is off (drbd_receiver.c, max_allowed_wo()).
_FLUSHES = ("disk_flushes", "md_flushes")

_SUFFIXED = re.compile(r"(\d+)[kKmMgGs]")


def plain(name: str) -> str:
    """Return the name of an option as in experiment files."""
    return name.strip().replace("-", "_")


def merged(*layers: Mapping[str, Value]) -> dict[str, Value]:
    """Merge options, of which later ones override earlier ones in either spelling."""
    return {plain(name): value for layer in layers for name, value in layer.items()}


def problems(sections: Mapping[str, Mapping[str, Value]]) -> dict[tuple[str, ...], str]:
    """Return options that DRBD would refuse or a key sets, by their keys, with the reason."""
    found: dict[tuple[str, ...], str] = {}
    for section, options in sections.items():
        first: dict[str, str] = {}
        for name, value in options.items():
            same = plain(name)
            reason = _OWN.get(same) or _problem(section, same, value)
            if same in first:
                reason = f"it is the same option as {first[same]}: leave one of them out"
            first.setdefault(same, name)
            if reason:
                found[("drbd", section, name)] = reason
    return found


def unflushed(disk: Mapping[str, Value]) -> str:
    """Return the risk of options that keep DRBD from flushing the disk's cache; empty if none does."""
    off = [name for name, value in merged(disk).items() if name in _FLUSHES and _word(value) == "no"]
    return f"{' and '.join(off)} off: a power loss of a host may lose any row there" if off else ""


def _problem(section: str, same: str, value: Value) -> str:
    known = _SECTIONS[section]
    if same not in known:
        other = next((name for name in _SECTIONS if name != section and same in _SECTIONS[name]), "")
        place = f"; it belongs to `{other}`" if other else nearest(same, known)
        return f"DRBD 8.4 has no such option in section {section}{place}"
    allowed = known[same]
    if not allowed:
        return ""
    if isinstance(allowed[0], str):
        words = ", ".join(map(str, allowed))
        return "" if _word(value) in allowed else f"found {value!r}, and DRBD accepts one of {words}"
    return _problem_of_number(same, str(value), int(allowed[0]), int(allowed[1]))


def _problem_of_number(same: str, text: str, least: int, most: int) -> str:
    if same not in _TIMES and _SUFFIXED.fullmatch(text):
        return ""
    if text.isdecimal() and least <= int(text) <= most:
        return ""
    unit = ", without a unit (drbd.conf(5) says which)" if same in _TIMES else ""
    return f"found {text}, and DRBD accepts whole numbers from {least} to {most}{unit}"


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
