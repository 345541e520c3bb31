"""Commands on timeouts: how long a hiccup may last."""
