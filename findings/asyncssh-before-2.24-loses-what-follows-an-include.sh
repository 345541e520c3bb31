#!/bin/bash
# asyncssh before 2.24.0: what stands behind the first `Include` of ~/.ssh/config can vanish, without a warning.
#
# Guess: two included files, each with a block of its own, are read as `ssh -G` reads them.
# Seen on 2026-11-27: 2.23.0 takes a block of the first file that does not match for the end of the matter, and
# passes over the second `Include`: no jump host, no address. 2.24.0 reads both. (OpenSSH 9.2 does, too.)
#
# Output seen:
#   asyncssh 2.23.0: host db1, jump host None
#   asyncssh 2.24.0: host 10.0.0.11, jump host gate
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'Host work\n  User me\n' >first
printf 'Host db1\n  HostName 10.0.0.11\n  ProxyJump gate\n' >second
printf 'Include %s/first\nInclude %s/second\n' "$folder" "$folder" >config

found() { # found VERSION: what it makes of the configuration
  python3 -m venv "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check "asyncssh==$1"
  "$1/bin/python" - <<'PYTHON'
import asyncssh

options = asyncssh.SSHClientConnectionOptions(host="db1", config=["config"])
print(f"host {options.host}, jump host {options.tunnel}")
PYTHON
}

old=$(found 2.23.0)
new=$(found 2.24.0)
echo "asyncssh 2.23.0: $old"
echo "asyncssh 2.24.0: $new"
[ "$old" = "host db1, jump host None" ] && [ "$new" = "host 10.0.0.11, jump host gate" ] ||
  { echo "the behaviour has changed"; exit 1; }
