"""Preview: run a command on a copy-on-write view of the project, show what it changed, then apply or discard that.

    view.py     which folders are shown, and what of them is masked
    run.py      starts the command in its view, and brings back what it left there
    inside.py   the program that builds the view and runs the command, with kernel.py, calls.py, seen.py and left.py
    changes.py  what is different, path by path, and the digest of that
    commit.py   puts it into the project, all or nothing
    kept.py     previews that wait for a person

Only a person starts one. What is applied goes through the engine like any other call (apply.py).
"""
