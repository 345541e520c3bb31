"""Commands for the running deployment: `up`, `status`, `sql`, `inject`, `down` and others."""
