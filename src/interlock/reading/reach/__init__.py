"""Where an action that leaves this machine would arrive, and what it carries."""
