"""Tool contracts: what a tool's arguments must fulfil, and proofs that a call does not. Pure."""
