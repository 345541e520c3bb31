"""Consistency: lost rows, stale reads, nodes that differ, split brain, isolation."""
