"""Solutions: HA architectures. One file or folder each: settings, deployment, roles, facts."""
