"""SQL, read statement by statement."""
