"""The parts of a host, one for each purpose that callers have: they take only the part that they need.

`commands` runs programs, `processes` lists and kills them, `power` switches the host off, `files` exchanges
files, `clock` converts times, `addresses` adds addresses. `place` describes the namespaces and the port of a
host in a lab on this machine; its `Elsewhere` stands for both on hosts that have none.
"""
