"""An external cluster, deployed by its user."""
