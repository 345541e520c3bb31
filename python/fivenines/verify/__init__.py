"""Questions to real servers after a trial, whose answers become part of its record."""
