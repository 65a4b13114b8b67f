"""The way of a call: prepared, proposed, committed, answered."""
