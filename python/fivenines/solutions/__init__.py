"""Solutions: HA architectures. One file or folder each: settings, deployment, roles, members, facts.

`base.py` has what all share; `configuration.py`, `hosts.py` and `preparation.py` are aspects of a solution
next to those of `servers/cluster`. `draining.py`, `quorum.py` and `read_locks.py` are shared by several.
"""
