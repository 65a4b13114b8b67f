"""Tool servers that many people use: how one is recognized, and what its tools do."""
