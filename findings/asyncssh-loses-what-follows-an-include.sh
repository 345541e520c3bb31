#!/bin/bash
# asyncssh 2.18.0 to 2.23.1: directives after an Include are lost if the included file ends with a Host that does not match.
#
# Guess: a Host line applies until the next one or the end of its file, as in OpenSSH ("ssh -G" shows it), so that an
# included file has no effect on the lines after the Include.
# Seen on 2026-11-27, Python 3.11.7: asyncssh 2.23.1 reads the lines after the Include as part of the included file's
# last Host block. User, Port and ProxyJump are then not taken from any file, and no warning is given: a program connects
# as another user, or without the jump host. 2.24.1 reads it as OpenSSH does.
#
# Output seen:
#   ssh -G: user wanted port 2222
#   asyncssh 2.23.1: no user port 22
#   asyncssh 2.24.1: user wanted port 2222
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
printf 'Host other\n  Compression yes\n' >included
printf 'Include %s/included\nUser wanted\nPort 2222\n' "$folder" >config
read_by_asyncssh() { # read_by_asyncssh VERSION
  python_packages "asyncssh==$1"
  python/bin/python - <<'PYTHON'
import getpass

import asyncssh

found = asyncssh.SSHClientConnectionOptions(host="target", config=["config"])
user = "no user" if found.username == getpass.getuser() else f"user {found.username}"
print(user, "port", found.port)
PYTHON
}
if command -v ssh >/dev/null; then
  expect "ssh -G" "$(ssh -G -F config target | grep -E '^(user|port) ' | tr '\n' ' ' | sed 's/ $//')" \
    "user wanted port 2222"
fi
expect "asyncssh 2.23.1" "$(read_by_asyncssh 2.23.1)" "no user port 22"
expect "asyncssh 2.24.1" "$(read_by_asyncssh 2.24.1)" "user wanted port 2222"
