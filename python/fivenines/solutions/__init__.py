"""Solutions: HA architectures. One file or folder each: settings, deployment, roles, members, facts.

`settings.py` and `base.py` have what all share. `traits.py` and `checks.py` are parts of the settings;
`configuration.py`, `hosts.py` and `preparation.py` are aspects of a solution, besides those of
`servers/cluster`. `draining.py`, `quorum.py` and `read_locks.py` are shared by several solutions.
"""
