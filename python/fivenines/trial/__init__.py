"""A trial: deploy, load, inject, recover, check, record."""
