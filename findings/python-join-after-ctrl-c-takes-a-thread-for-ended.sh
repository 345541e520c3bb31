#!/bin/bash
# Python 3.11.2: after a Thread.join that Ctrl-C interrupted, a running thread counts as ended.
#
# Guess: KeyboardInterrupt in `thread.join()` leaves the thread as it is, so a handler can stop it and join it again.
# Seen on 2026-11-28 with Debian's 3.11.2 (also 3.9.18 to 3.12.1; right in 3.13.0): is_alive() is False from then on and
# the second join() returns at once, so the clean-up of the thread is cut short at the end of the program.
# Needs Debian 12 (bookworm) for its Python.
#
# Output seen:
#   after an interrupted join: is_alive False, the next join does not wait
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
/usr/bin/python3 - >seen <<'PROGRAM'
import os, signal, threading, time

signal.signal(signal.SIGINT, signal.default_int_handler)
may_end, ended = threading.Event(), []


def work():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
    may_end.wait()
    ended.append(True)


thread = threading.Thread(target=work, daemon=True)
thread.start()
try:
    thread.join()
except KeyboardInterrupt:
    alive = thread.is_alive()
thread.join(5)
print(f"is_alive {alive}, the next join {'waits' if thread.is_alive() or ended else 'does not wait'}")
may_end.set()
PROGRAM
/usr/bin/python3 --version
expect "after an interrupted join" "$(cat seen)" "is_alive False, the next join does not wait"
