"""What holds for all tests."""

import signal

from hypothesis import settings

# a shell ignores SIGINT for what it starts in the background, and everything below inherits that:
# no interruption that a test sends would arrive
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# no property test is timed: what else runs on the machine would fail it
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
