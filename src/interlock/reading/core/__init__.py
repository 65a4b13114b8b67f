"""What every reader of the shell works with: marks, order, streams, what is accounted for."""
