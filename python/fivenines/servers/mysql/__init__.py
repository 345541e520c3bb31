"""MySQL: all that is asked of it."""
