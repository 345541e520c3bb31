"""Chapters on lost rows, stale reads, lag, isolation and invariants."""
