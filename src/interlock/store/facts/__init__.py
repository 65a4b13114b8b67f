"""What the disk says, looked up for the reading."""
