"""Our own files, and those of hosts and projects that set something up."""
