"""Read and validate experiment files, and plan their trials."""
