"""Which kind of place a path is."""
