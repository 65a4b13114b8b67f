"""Policy files become one Policy: parse, check, merge by source, digest. Pure."""
