"""What people and agents are told. Sentences only: nothing is decided by them, and no verdict depends on them."""
