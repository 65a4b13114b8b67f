"""Follows a parsed script the way a shell would, and names what each command of it would do."""
