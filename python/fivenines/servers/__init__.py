"""Database servers, and how managers, access layers, faults and observers use them.

- `member`, `daemon`: a server process of a cluster; one that fivenines starts and stops.
- `base`, `local`: a database server; one with all parts, started in a lab. `families`: an engine's class.
- Parts of a server, each for one kind of caller: `sql`, `monitoring`, `introspection`, `setup`, `console`.
- What parts return: `session`, `counters`, `lag`, `in_effect`, `roles`, `checksums`. For `lag`: `positions`.
- `incidents`: stalls that a log reports.
- `control`: operations of a failover manager. `secrets`: passwords. `spelled`: names of settings.
  `session_options`: options of connection strings.
- A folder for each family, `external/` for servers that fivenines did not start, `cluster/` for solutions.
"""
