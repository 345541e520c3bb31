"""The interface through which managers, access layers and faults see a solution.

`cluster.py` has the nodes. Its aspects are `roles.py`, `membership.py`, `switchover.py` (and stalled
replicas) and `replicated_disk.py`. `topology.py` has what is known before anything runs.
"""
