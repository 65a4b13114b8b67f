"""Bytes that last: canonical JSON, digests, receipts. Pure."""
