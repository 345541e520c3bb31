#!/bin/bash
# Linux: `shutdown` of a listening TCP socket, called twice, ruins each connection that it accepts after `listen`.
#
# Guess: a socket that was shut down and listens again works as a new one, after any number of shutdowns.
# Seen on 2026-11-27, Linux 6.18: after one shutdown this is true. The second finds a socket that does not listen and
# fails with ENOTCONN, but it marks the socket as shut down in both directions. `listen` then works, a client
# connects, and the accepted connection inherits the mark: the server reads an end-of-file before the client has
# sent or closed anything, and cannot send (EPIPE).
#
# Output seen:
#   1 shutdown: the server can send, and reads nothing yet
#   2 shutdowns: the server gets EPIPE, and reads the end
set -euo pipefail
python3 - <<'PYTHON'
import errno
import socket
import sys


def trial(times):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    for number in range(times):
        try:
            listener.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            assert number > 0 and error.errno == errno.ENOTCONN, error
    listener.listen()
    with socket.create_connection(listener.getsockname(), 5):
        server, _ = listener.accept()
        with server:
            server.setblocking(False)
            try:
                read = f"reads {'the end' if not server.recv(100) else 'bytes'}"
            except BlockingIOError:
                read = "reads nothing yet"
            try:
                server.send(b"hello")
                sent = "can send"
            except OSError as error:
                sent = f"gets {errno.errorcode[error.errno]}"
    return f"the server {sent}, and {read}"


found = trial(1), trial(2)
print(f"1 shutdown: {found[0]}\n2 shutdowns: {found[1]}")
wanted = "the server can send, and reads nothing yet", "the server gets EPIPE, and reads the end"
if found != wanted:
    sys.exit("the behaviour has changed")
PYTHON
