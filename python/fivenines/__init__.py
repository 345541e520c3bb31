"""fivenines measures what a high-availability database really gives."""

__version__: str
"""That of the installed package, which the build takes from Cargo.toml."""


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: importlib.metadata takes longer than most commands."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import version  # noqa: PLC0415

    return version("fivenines")
