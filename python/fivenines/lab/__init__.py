"""The lab: a private lab of Linux namespaces on one machine, without root.

`Lab` holds the namespaces, `Host` is one machine in it. When the controller ends, for whatever reason,
the kernel ends everything in the lab.
"""

import os

# an ordinary user's PATH lacks the folders of tc and chroot on Debian; every child of ours needs them
_FOLDERS = os.environ.get("PATH", "/usr/bin:/bin").split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(
    [*_FOLDERS, *(path for path in ("/usr/sbin", "/sbin") if path not in _FOLDERS)]
)
