"""Reads one command by its row of a table: options, operands, and what they do to a path."""
