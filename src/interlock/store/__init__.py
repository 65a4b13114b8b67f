"""The only code that touches the disk and the clock."""
