"""The console: colour, layout in a given width, progress of a computation."""
