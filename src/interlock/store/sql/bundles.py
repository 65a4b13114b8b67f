"""Signed bundles of policy in the team store. Whoever may answer may publish; machines with agents read."""

from __future__ import annotations

__all__ = ["BUNDLES", "NEWEST_BUNDLE", "PUBLISH_BODY", "PUBLISH_BUNDLE"]

BUNDLES = """CREATE TABLE IF NOT EXISTS interlock.bundles (
  number BIGINT PRIMARY KEY,
  at BIGINT NOT NULL,
  account TEXT COLLATE "C" NOT NULL,
  body BYTEA NOT NULL
)"""

PUBLISH_BODY = r"""
BEGIN
  IF p_number < 1 OR octet_length(p_body) > 16777216 THEN
    RAISE EXCEPTION 'this is not a bundle';
  END IF;
  LOCK TABLE interlock.bundles IN EXCLUSIVE MODE;
  INSERT INTO interlock.bundles (number, at, account, body)
    SELECT p_number, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, session_user::text, p_body
    WHERE NOT EXISTS (SELECT 1 FROM interlock.bundles b WHERE b.number >= p_number);
  RETURN FOUND;
END"""

NEWEST_BUNDLE = "SELECT body FROM bundles ORDER BY number DESC LIMIT 1"
PUBLISH_BUNDLE = "SELECT interlock.publish_bundle(?, ?)"
