"""A replicated disk (DRBD) under Pacemaker."""
