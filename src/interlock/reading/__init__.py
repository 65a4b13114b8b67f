"""What would this call really do? Call and facts in, actions and opaque parts out. Pure."""
