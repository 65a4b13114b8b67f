"""Checkpoints: what a call is about to lose, kept so that a person can have it back.

`look.py` sees what lies at a path without following a link, `keep.py` writes it down durably in one file, `shelf.py` is
the folder of those files with its budgets, `restore.py` puts a checkpoint back, `git.py` holds what git would lose.
"""
