#!/bin/bash
# PyMySQL 1.2.4: a refused connection's unix socket stays open until the garbage collector runs; a TCP socket is closed.
#
# Guess: a connect that raises leaves nothing behind; at the latest when the exception is gone, CPython frees the socket.
# Seen on 2026-11-28 with Python 3.11.7 (also with PyMySQL 1.1.3): the exception and the frame of connect() refer to each
# other, and connect() does not close the unix socket that could not be connected. A program that waits for a local
# server, once or twice a second, collects descriptors until a collection of that generation happens to run.
#
# Output seen:
#   open sockets after 50 refused connections by a unix socket: 50
#   open sockets after 50 refused connections by TCP: 0
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python_packages PyMySQL==1.2.4
left() { # left WHERE: sockets that are open afterwards; WHERE as keyword arguments
  python/bin/python - "$@" <<'PYTHON'
import gc
import os
import sys

import pymysql

where = dict(word.split("=") for word in sys.argv[1:])
where |= {"port": int(where["port"])} if "port" in where else {}
gc.disable()
for _ in range(50):
    try:
        pymysql.connect(**where, user="app", password="secret")
    except pymysql.err.OperationalError:
        pass
files = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
print(sum(os.readlink(file).startswith("socket:") for file in files if os.path.lexists(file)))
PYTHON
}
expect "open sockets after 50 refused connections by a unix socket" "$(left unix_socket="$folder/down.sock")" 50
expect "open sockets after 50 refused connections by TCP" "$(left host=127.0.0.1 port="$(free_port)")" 0
