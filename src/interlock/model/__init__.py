"""The nouns: what a host tells, what is known, read, decided and remembered. Pure."""
