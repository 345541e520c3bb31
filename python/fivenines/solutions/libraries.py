"""Parameters of PostgreSQL that a library defines: without it the server accepts them, and they do nothing.

The server takes any name with a dot for one that SQL reads (PostgreSQL manual, 19.16). Libraries that are
loaded by their first use, such as pg_trgm, are not here: their parameters wait for them.
"""

from collections.abc import Mapping

from fivenines.servers.spelled import canonical

# Libraries that a server or a session loads at its start, by the first part of their parameters' names.
_LIBRARIES = {
    **{
        name: name
        for name in (
            "auth_delay",
            "auto_explain",
            "basic_archive",
            "citus",
            "passwordcheck",
            "pg_hint_plan",
            "pg_partman_bgw",
            "pg_prewarm",
            "pg_qualstats",
            "pg_stat_kcache",
            "pg_stat_monitor",
            "pg_stat_statements",
            "pg_wait_sampling",
            "pgaudit",
            "pglogical",
            "timescaledb",
        )
    },
    "cron": "pg_cron",
}

_LOADING = (
    "shared_preload_libraries",
    "session_preload_libraries",
    "local_preload_libraries",
    "archive_library",
)


def not_loaded(given: Mapping[str, object]) -> dict[str, str]:
    """Return parameters of libraries that no other setting loads, as the user spells them, with remedy."""
    loaded = {
        part.strip().strip("'\"").rpartition("/")[2].removesuffix(".so")
        for name, value in given.items()
        if canonical(name, "postgresql") in _LOADING
        for part in str(value).split(",")
    }
    lists = [name for name in given if canonical(name, "postgresql") == "shared_preload_libraries"]
    reasons = {}
    for name in given:
        prefix, dot, _ = canonical(name, "postgresql").partition(".")
        library = _LIBRARIES.get(prefix, "") if dot else ""
        if library and library not in loaded:
            remedy = (
                f"add {library} to `{lists[0]}`"
                if lists
                else f"write `shared_preload_libraries: {library}` in addition"
            )
            reasons[name] = f"it has no effect unless the server loads {library}: {remedy}, or leave it out"
    return reasons
