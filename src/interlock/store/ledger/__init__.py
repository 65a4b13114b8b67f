"""The ledger: its rows, its databases, and what is done to it as a whole."""
