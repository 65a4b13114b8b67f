"""Plans: what a run set out to do, and whether a command belongs to it. Pure."""
