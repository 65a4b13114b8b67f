"""The command line, one file a command group. Imported late: the hook never loads it."""
