"""What each machine says of itself in the team store: a row of its own, under the account it logs in with."""

from __future__ import annotations

__all__ = ["MACHINES", "REPORTED", "REPORT_BODY", "REPORT_MACHINE"]

REPORTED = """CREATE TABLE IF NOT EXISTS interlock.machines (
  role TEXT COLLATE "C" NOT NULL,
  machine TEXT COLLATE "C" NOT NULL,
  engine TEXT NOT NULL,
  policy TEXT NOT NULL,
  bundle BIGINT NOT NULL,
  last_hook BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (role, machine)
)"""

# `at` is the server's time: when the machine was last heard of. `last_hook` is what the machine says.
REPORT_BODY = r"""
BEGIN
  IF length(p_machine) NOT BETWEEN 1 AND 200 OR length(p_engine) > 40 OR length(p_policy) > 100
     OR p_machine ~ '[[:cntrl:]]' THEN
    RAISE EXCEPTION 'this is not what a machine says of itself';
  END IF;
  IF (SELECT count(*) FROM interlock.machines m WHERE m.role = session_user::text AND m.machine <> p_machine) > 999 THEN
    RAISE EXCEPTION 'this account has spoken for a thousand machines';
  END IF;
  INSERT INTO interlock.machines AS m (role, machine, engine, policy, bundle, last_hook, at)
    VALUES (session_user::text, p_machine, p_engine, p_policy, p_bundle, p_last,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    ON CONFLICT (role, machine) DO UPDATE SET engine = excluded.engine, policy = excluded.policy,
      bundle = excluded.bundle, last_hook = excluded.last_hook, at = excluded.at;
  RETURN true;
END"""

REPORT_MACHINE = "SELECT interlock.report_machine(?, ?, ?, ?, ?)"
MACHINES = "SELECT machine, role, engine, policy, bundle, last_hook, at FROM machines ORDER BY machine, role"
