"""What versions of PostgreSQL call apart, as far as it matters here: 13 to 18 were tried.

Source: release notes of PostgreSQL 15 and 16 (appendix E of the manual), pg_rewind(1) of 13 to 16.
"""


def rewind_reads_configuration(version: int) -> bool:
    """Whether pg_rewind takes `--config-file`. Before 15 it reads only what lies beside the data."""
    return version >= 15


def promotion_needs_checkpoint(version: int) -> bool:
    """Whether pg_rewind takes a source for what it was until its first checkpoint since it was promoted.

    From 16 on it looks at the history of time lines instead.
    """
    return version < 16


def major(text: str) -> int:
    """The major version that a data directory names in its file PG_VERSION; 0 where it names none."""
    number = text.strip().partition(".")[0]
    return int(number) if number.isdigit() else 0
