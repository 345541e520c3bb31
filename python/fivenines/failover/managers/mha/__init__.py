"""MHA, the Master High Availability Manager."""
