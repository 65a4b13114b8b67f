"""What the fields of a target denote, before anything is compared with them: branches, contexts, workspaces."""
