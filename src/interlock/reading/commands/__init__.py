"""What known programs do: one declarative file a family. Start with spec.py, then any family."""
