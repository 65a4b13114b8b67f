"""Calls of tools: the hosts' own, those of servers, and what their arguments stand for."""
