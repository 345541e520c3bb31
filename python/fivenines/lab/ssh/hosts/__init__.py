"""The parts of a host on another machine, around `service`, the host's first process there."""
