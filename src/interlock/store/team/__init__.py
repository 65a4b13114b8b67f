"""The team store, and what goes there and comes from there."""
