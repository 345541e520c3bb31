"""Relevant differences between versions of PostgreSQL; 13 to 18 were tested.

Source: release notes of PostgreSQL 15 and 16 (appendix E of the manual), pg_rewind(1) of 13 to 16.
"""


def rewind_reads_configuration(version: int) -> bool:
    """Return whether pg_rewind takes `--config-file`. Before 15 it reads only files in the data directory."""
    return version >= 15


def promotion_needs_checkpoint(version: int) -> bool:
    """Return whether pg_rewind needs a checkpoint of the source after its promotion.

    From 16 on it reads the history of timelines instead.
    """
    return version < 16


def major(text: str) -> int:
    """Return the major version in a data directory's file PG_VERSION; 0 if there is none."""
    number = text.strip().partition(".")[0]
    return int(number) if number.isdigit() else 0
