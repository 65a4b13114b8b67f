"""The measuring stick: packs of cases, corpora of other people's commands, and the figures they give."""
