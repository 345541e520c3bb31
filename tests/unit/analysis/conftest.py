"""Times no property test: what else runs on the machine would fail it."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
