"""What is put somewhere, filled from elsewhere, or lost."""
