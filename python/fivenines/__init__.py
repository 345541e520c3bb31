"""fivenines measures what a high-availability database really gives."""

from importlib.metadata import version

__version__ = version("fivenines")
"""That of the installed package, which the build takes from Cargo.toml."""
