"""The hook's own process: a guarded entry, and what it runs."""
