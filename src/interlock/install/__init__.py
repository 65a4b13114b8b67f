"""Our entries in a host's settings, put in and taken out again as text. Pure: bytes in, bytes out."""
