"""The lab: the hosts of one trial, usually private Linux namespaces on one machine, without root.

Each `Host` is one machine in a `Lab`. Both hold parts: callers take only the part that they need. A host has
`commands`, `processes`, `power`, `files`, `clock` and `addresses` (`hosts/`); a lab has `sites`, `network`,
`power` and `clocks`. `namespaces/`, `vm/` and `ssh/` are the kinds of hosts; `this_machine` stands for a lab
where fivenines controls no host. When the controller ends, for any reason, everything in the lab ends.
"""

import os

# On Debian the PATH of an ordinary user lacks the folders of tc and chroot, which our child processes need.
_FOLDERS = os.environ.get("PATH", "/usr/bin:/bin").split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(
    [*_FOLDERS, *(path for path in ("/usr/sbin", "/sbin") if path not in _FOLDERS)]
)
