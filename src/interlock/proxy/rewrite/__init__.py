"""The answers of four model APIs, read and rewritten: pieces in, pieces out. Pure; docs/proxy.md has the table."""
