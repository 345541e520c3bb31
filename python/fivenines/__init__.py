"""fivenines measures what a high-availability database really gives."""

__version__ = "0.1.0"
