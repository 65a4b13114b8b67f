"""One file a host: its events to a Call, a decision to what that host understands."""
