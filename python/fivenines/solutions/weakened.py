"""Server settings under `server:` that weaken durability: refused if `durability:` can say so, else reported.

Sources: PostgreSQL 18 manual, 19.5 (fsync, full_page_writes), 19.13 (data_sync_retry), 19.17
(zero_damaged_pages); MySQL 9 reference manual and MariaDB documentation on the InnoDB settings, sync_binlog
and rpl_semi_sync_source_wait_no_replica (rpl_semi_sync_master_wait_no_slave in MariaDB).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fivenines.results.records import SolutionFacts
from fivenines.servers import option_file
from fivenines.servers.spelled import as_option, one_setting, plain
from fivenines.software.base import Family
from fivenines.solutions.durability import STRICT

if TYPE_CHECKING:
    from fivenines.solutions.settings import SolutionSettings

_FLUSH = "innodb_flush_log_at_trx_commit"
_TIMEOUT = "innodb_flush_log_at_timeout"
_BINLOG = "sync_binlog"
_METHOD = "innodb_flush_method"
_DOUBLEWRITE = "innodb_doublewrite"
_COMMIT = "synchronous_commit"
_ALONE = ("rpl_semi_sync_master_wait_no_slave", "rpl_semi_sync_source_wait_no_replica")

_ANYTHING = "a power loss of a host may lose any row there, or damage its data"
_TORN = "a power loss of a host may damage the pages that it was writing"

# Switches with their weak position, and what that risks.
_SWITCHES: dict[str, tuple[bool, str]] = {
    "fsync": (False, _ANYTHING),
    "full_page_writes": (False, _TORN),
    "zero_damaged_pages": (True, "a damaged page loses all of its rows"),
    "data_sync_retry": (True, "data whose flush failed may be lost"),
    "debug_no_sync": (True, _ANYTHING),
}

_DECIDING: dict[Family, tuple[str, ...]] = {
    "postgresql": ("fsync", "full_page_writes", "zero_damaged_pages", "data_sync_retry", _COMMIT),
    "mariadb": (_FLUSH, _TIMEOUT, _BINLOG, _METHOD, _DOUBLEWRITE, "debug_no_sync", _ALONE[0]),
    "mysql": (_FLUSH, _TIMEOUT, _BINLOG, _METHOD, _DOUBLEWRITE, _ALONE[1]),
}

# MariaDB and MySQL also accept the position of a method in their list.
_UNFLUSHED = {"littlesync": "littlesync", "nosync": "nosync", "2": "littlesync", "3": "nosync"}


def weakening(settings: "SolutionSettings") -> dict[str, str]:
    """Return server settings that contradict the solution's keys, as users spell them, with remedy."""
    reasons = {}
    for name, same, value in _deciding(settings):
        if same in _ALONE and _acknowledges_alone(settings, same, value):
            reasons[name] = (
                "a primary without replicas would acknowledge alone at once, not after semi_sync_timeout: "
                "leave it out, or write a shorter `semi_sync_timeout`"
            )
        elif settings.durability == STRICT and _waits_less(same, value, settings.family):
            reasons[name] = (
                "with it a commit does not wait for the disk, but durability is strict: write "
                f"`{settings.write_relaxed}`, which reports show, "
                + ("instead" if same == _COMMIT else "in addition, or leave it out")
            )
    return reasons


def facts_as_set(settings: "SolutionSettings") -> SolutionFacts | None:
    """Return the facts about a solution, and in addition what the user's server settings risk."""
    facts = settings.facts()
    if facts is None:
        return None
    damaging, delaying = [], []
    for _name, same, value in _deciding(settings):
        if risk := _damage(same, value, settings.family):
            damaging.append(risk)
        elif settings.durability != STRICT and (risk := _delay(same, value)):
            delaying.append(risk)
    # A flush that comes later loses nothing if another node has the commit, which the facts already consider.
    return facts.model_copy(
        update={
            "one_failure_loses": "; ".join([facts.one_failure_loses, *damaging, *delaying]),
            "may_lose": "; ".join(filter(None, [facts.may_lose, *damaging])) if damaging else facts.may_lose,
        }
    )


def _deciding(settings: "SolutionSettings") -> Iterator[tuple[str, str, str]]:
    """Yield settings that control durability: as the user spells them, their names, and values."""
    family = settings.family
    known = _DECIDING.get(family, ()) if family else ()
    for name, value in settings.server.items():
        same = one_setting(name, family)
        if same not in known and family == "mariadb":
            # MariaDB completes names.
            longer = [whole for whole in known if whole.startswith(same)]
            same = longer[0] if len(longer) == 1 else same
        if same in known:
            yield name, same, _value(name, value, family)


def _value(name: str, value: object, family: Family | None) -> str:
    """Return a value as the server reads it: lower case, 1 and 0 for Booleans."""
    text = option_file.meant(as_option(name, value)).strip().lower()
    if family == "postgresql":
        return text
    option = plain(name, family)
    # A switch with a prefix ignores its value unless that is 0, which turns it round (my_getopt.c).
    if option.startswith(("skip_", "disable_")):
        return "1" if text == "0" else "0"
    if option.startswith("enable_"):
        return "0" if text == "0" else "1"
    return text


def _is_on(value: str, family: Family | None) -> bool:
    if family == "postgresql":
        # PostgreSQL accepts unique prefixes (bool.c, parse_bool_with_len).
        return value in ("on", "1") or any(value and word.startswith(value) for word in ("true", "yes"))
    # MariaDB and MySQL take any other word for OFF (my_getopt.c, get_bool_argument).
    return value in ("on", "1", "true")


def _number(value: str) -> int:
    """Return a whole number, or the weakest one, 0."""
    try:
        return int(value)
    except ValueError:
        return 0


def _waits_less(same: str, value: str, family: Family | None) -> bool:
    """Return whether with it a commit waits for the disk less than with strict durability."""
    if same == _COMMIT:
        return value in ("off", "false", "no", "0")
    if same == _FLUSH:
        # MariaDB's 3 flushes more often than 1.
        return _number(value) != 1 and not (family == "mariadb" and _number(value) >= 3)
    return same == _BINLOG and _number(value) != 1


def _acknowledges_alone(settings: "SolutionSettings", same: str, value: str) -> bool:
    """Return whether a semi-synchronous primary would not wait for replicas that are unavailable."""
    if getattr(settings, "mode", "") not in ("after_sync", "after_commit"):
        return False
    manager = settings.failover_manager
    switched = manager is not None and same in manager.changes
    return not switched and not _is_on(value, settings.family)


def _damage(same: str, value: str, family: Family | None) -> str:
    """Return what it risks on each node that has it, however many nodes a commit waits for."""
    if same in _SWITCHES:
        weak, risk = _SWITCHES[same]
        on = _is_on(value, family)
        return f"{same} is {'on' if on else 'off'}: {risk}" if on == weak else ""
    if same == _METHOD and value in _UNFLUSHED:
        return f"{same} is {_UNFLUSHED[value]}: {_ANYTHING}"
    if same == _DOUBLEWRITE and not _is_on(value, family) and value != "detect_and_recover":
        return f"{same} is {value if value in ('detect_only', 'fast') else 'off'}: {_TORN}"
    return ""


def _delay(same: str, value: str) -> str:
    """Return what a relaxed server loses in addition, as it writes or flushes its log later."""
    if same == _FLUSH and _number(value) <= 0:
        return f"{same} is 0: a killed server loses its last second, too, unless another node has it"
    if same == _TIMEOUT and _number(value) > 1:
        return f"{same} is {value}: that many seconds of its log are lost, unless another node has them"
    return ""
