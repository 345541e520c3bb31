"""What holds for all tests."""

import signal

# a shell ignores SIGINT for what it starts in the background, and everything below inherits that:
# no interruption that a test sends would arrive
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
