"""What known programs do: one table a family, data only. Start with spec.py, then any family."""
