"""What was decided, and what would have been: recorded calls under another policy, transcripts, suggestions. Pure."""
