"""What leaves this machine: requests, models, evidence."""
