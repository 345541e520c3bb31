"""Blocks of interleaved comparisons."""
