"""Solutions: HA architectures. One file each: settings, deployment, roles."""
