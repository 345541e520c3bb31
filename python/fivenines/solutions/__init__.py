"""Solutions: HA architectures. One file each: its settings, how it is deployed, who has which role."""
