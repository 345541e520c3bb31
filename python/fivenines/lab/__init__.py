"""The lab: private Linux namespaces on one machine, without root.

`Lab` owns the namespaces; each `Host` is one machine in it. When the controller ends, for any reason, the
kernel ends everything in the lab.
"""

import os

# On Debian the PATH of an ordinary user lacks the folders of tc and chroot, which our child processes need.
_FOLDERS = os.environ.get("PATH", "/usr/bin:/bin").split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(
    [*_FOLDERS, *(path for path in ("/usr/sbin", "/sbin") if path not in _FOLDERS)]
)
