"""What follows from the events beside a call: what became of it, what a person said, how a session begins and ends."""
