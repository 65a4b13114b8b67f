"""Programs and code that a command runs."""
