"""Faults of a trial: their timeline, and the recovery of nodes."""
