"""What separates those who ask from those who answer: functions, two group roles, and who may see which rows.

Nobody but the owner writes to a table of the team's own ledger. Machines with agents (`agents`) insert rows of their
own ledgers and redeem; people who answer (`approvers`) give grants, take them back and answer. Each goes through a
function that runs with the owner's rights, chains the row, and notes `session_user` in it, which no client can choose.
The statements can be run again: they change nothing that is there already.
"""

from __future__ import annotations

from .bundles import BUNDLES, PUBLISH_BODY
from .machines import REPORT_BODY, REPORTED

__all__ = ["ANSWER", "BEGIN_ORIGIN", "GIVE", "MAY", "MOVE_ORIGIN_AS", "REDEEM_AS", "REVOKE_AS", "UPGRADE", "roles"]

_HEAD = "LANGUAGE plpgsql {rights} SET search_path = pg_catalog, pg_temp AS $body$"
_INVOKER, _DEFINER = _HEAD.format(rights="SECURITY INVOKER"), _HEAD.format(rights="SECURITY DEFINER")
_TOLD = "OUT o_seq bigint, OUT o_hash text"

# name -> arguments, what it gives back, with whose rights, body
_FUNCTIONS = {
    # One row at the end of the team's chain, hashed as `record/chain.py` does it. Only the functions below call it.
    "append_row": (
        f"p_kind text, p_key text, p_body bytea, {_TOLD}",
        "",
        _INVOKER,
        r"""
DECLARE
  v_at bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  v_prev text;
  v_last bigint;
BEGIN
  IF p_key !~ '^[A-Za-z0-9:_.-]{1,200}$' OR octet_length(p_body) > 65536
     OR session_user::text ~ '[\\[:cntrl:]]' THEN
    RAISE EXCEPTION 'this is not a row that the team store keeps';
  END IF;
  SELECT t.seq + 1, t.hash, t.at INTO STRICT o_seq, v_prev, v_last FROM interlock.tip t WHERE t.one = 1 FOR UPDATE;
  o_hash := encode(sha256(convert_to(format('[1,%s,%s,%s,%s,%s,null,null,null,%s,%s]',
    o_seq, to_json(p_kind), v_at, to_json(session_user::text), to_json(p_key),
    to_json(encode(sha256(p_body), 'hex')), to_json(v_prev)), 'UTF8')), 'hex');
  INSERT INTO interlock.ledger (seq, kind, at, session, key, body, prev, hash)
    VALUES (o_seq, p_kind, v_at, session_user::text, p_key, p_body, v_prev, o_hash);
  UPDATE interlock.tip SET seq = o_seq, hash = o_hash, at = greatest(v_at, v_last) WHERE one = 1;
  IF p_kind <> 'redemption' THEN
    PERFORM pg_notify('interlock', left(p_kind || ' ' || p_key, 200));
  END IF;
END""",
    ),
    "redeem": (
        f"p_grant text, p_body bytea, {_TOLD}",
        "",
        _DEFINER,
        r"""
DECLARE
  v_at bigint;
BEGIN
  SELECT greatest(t.at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) INTO STRICT v_at
    FROM interlock.tip t WHERE t.one = 1 FOR UPDATE;
  UPDATE interlock.grants SET used = used + 1 WHERE id = p_grant AND ended = 0
    AND (expires = 0 OR expires > v_at) AND (uses = 0 OR used < uses);
  IF FOUND THEN
    SELECT r.o_seq, r.o_hash INTO o_seq, o_hash FROM interlock.append_row('redemption', p_grant, p_body) r;
  END IF;
END""",
    ),
    "give_grant": (
        f"p_id text, p_body bytea, p_key text, p_holder text, p_expires bigint, p_uses bigint, {_TOLD}",
        "",
        _DEFINER,
        r"""
BEGIN
  IF p_id !~ '^team:[0-9a-f]{12}$' OR p_expires < 0 OR p_uses < 0 THEN
    RAISE EXCEPTION 'this is not a shared grant';
  END IF;
  SELECT r.o_seq, r.o_hash INTO o_seq, o_hash FROM interlock.append_row('grant', p_id, p_body) r;
  INSERT INTO interlock.grants (id, seq, key, holder, expires, uses, used, ended)
    VALUES (p_id, o_seq, p_key, p_holder, p_expires, p_uses, 0, 0);
END""",
    ),
    "revoke_grant": (
        f"p_id text, p_body bytea, {_TOLD}",
        "",
        _DEFINER,
        r"""
DECLARE
  v_at bigint;
BEGIN
  SELECT greatest(t.at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) INTO STRICT v_at
    FROM interlock.tip t WHERE t.one = 1 FOR UPDATE;
  UPDATE interlock.grants SET ended = v_at WHERE id = p_id AND ended = 0;
  IF FOUND THEN
    SELECT r.o_seq, r.o_hash INTO o_seq, o_hash FROM interlock.append_row('revocation', p_id, p_body) r;
  END IF;
END""",
    ),
    # The first answer to a question counts. It may only answer a row that asks. Where that says that two persons are
    # needed, several answers are kept (`team_answers.py`): the machine that asked says which of them are two. Of its
    # body nothing is read but that, as bytes: as JSON it may hold what PostgreSQL does not.
    "answer": (
        f"p_id text, p_body bytea, {_TOLD}",
        "",
        _DEFINER,
        r"""
DECLARE
  v_said json := convert_from(p_body, 'UTF8')::json;
  v_two boolean;
BEGIN
  PERFORM 1 FROM interlock.tip t WHERE t.one = 1 FOR UPDATE;
  SELECT position(convert_to('"two":true', 'UTF8') in s.body) > 0 INTO v_two
    FROM interlock.shipped s WHERE s.origin = v_said ->> 'origin' AND s.seq = (v_said ->> 'prompt')::bigint
    AND s.kind = 'prompt' AND s.key = p_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no machine asked this question';
  END IF;
  PERFORM 1 FROM interlock.ledger l WHERE CASE WHEN l.kind = 'answer' AND l.key = p_id THEN
    convert_from(l.body, 'UTF8')::json ->> 'origin' = v_said ->> 'origin'
    AND convert_from(l.body, 'UTF8')::json ->> 'prompt' = v_said ->> 'prompt' ELSE false END
    OFFSET CASE WHEN v_two THEN 15 ELSE 0 END LIMIT 1;
  IF NOT FOUND THEN
    SELECT r.o_seq, r.o_hash INTO o_seq, o_hash FROM interlock.append_row('answer', p_id, p_body) r;
  END IF;
END""",
    ),
    "begin_origin": (
        "p_first text, p_machine text, p_account text, p_keys text",
        "RETURNS text",
        _DEFINER,
        r"""
DECLARE
  v_id text := session_user::text || ':' || p_first;
BEGIN
  IF p_first !~ '^[0-9a-f]{16}$' THEN
    RAISE EXCEPTION 'this is not the beginning of a hash';
  END IF;
  INSERT INTO interlock.origins (id, machine, account, seq, hash, at, keys, role)
    VALUES (v_id, p_machine, p_account, 0, repeat('0', 64), 0, p_keys, session_user::text)
    ON CONFLICT (id) DO NOTHING;
  RETURN v_id;
END""",
    ),
    "move_origin": (
        "p_id text, p_seq bigint, p_hash text, n_seq bigint, n_hash text, n_at bigint, n_keys text",
        "RETURNS boolean",
        _DEFINER,
        r"""
BEGIN
  PERFORM 1 FROM interlock.origins o WHERE o.id = p_id AND o.role = session_user::text;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% does not ship this ledger', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE interlock.origins SET seq = n_seq, hash = n_hash, at = n_at, keys = n_keys
    WHERE id = p_id AND seq = p_seq AND hash = p_hash AND n_seq > p_seq;
  RETURN FOUND;
END""",
    ),
    "publish_bundle": ("p_number bigint, p_body bytea", "RETURNS boolean", _DEFINER, PUBLISH_BODY),
    "report_machine": (
        "p_machine text, p_engine text, p_policy text, p_bundle bigint, p_last bigint",
        "RETURNS boolean",
        _DEFINER,
        REPORT_BODY,
    ),
}
_SIGNATURES = {
    name: f"interlock.{name}({', '.join([p.split()[1] for p in arguments.split(', ') if not p.startswith('OUT ')])})"
    for name, (arguments, *_) in _FUNCTIONS.items()
}
_FOR_AGENTS = ("redeem", "begin_origin", "move_origin", "report_machine")
_FOR_APPROVERS = ("give_grant", "revoke_grant", "answer", "publish_bundle")


def _upgrade() -> tuple[str, ...]:
    found = ['ALTER TABLE interlock.origins ADD COLUMN IF NOT EXISTS role TEXT COLLATE "C"', BUNDLES, REPORTED]
    for name, (arguments, gives, head, body) in _FUNCTIONS.items():
        found.append(f"CREATE OR REPLACE FUNCTION interlock.{name}({arguments}) {gives} {head}{body} $body$")
        found.append(f"REVOKE ALL ON FUNCTION {_SIGNATURES[name]} FROM PUBLIC")
    return tuple(found)


UPGRADE = _upgrade()  # of a store of any age; a new one is made with it too


def roles(agents: str, approvers: str) -> tuple[str, ...]:
    """Two group roles and their rights. The names are plain words, checked before they come here."""
    both = f'"{agents}", "{approvers}"'
    own = "EXISTS (SELECT 1 FROM interlock.origins o WHERE o.id = origin AND o.role = session_user::text)"
    policies = (
        ("origins", "agents_see_their_own", f'FOR SELECT TO "{agents}" USING (role = session_user::text)'),
        ("origins", "approvers_see_all", f'FOR SELECT TO "{approvers}" USING (true)'),
        ("shipped", "agents_see_their_own", f'FOR SELECT TO "{agents}" USING ({own})'),
        ("shipped", "agents_ship_their_own", f'FOR INSERT TO "{agents}" WITH CHECK ({own})'),
        ("machines", "agents_see_their_own", f'FOR SELECT TO "{agents}" USING (role = session_user::text)'),
        ("machines", "approvers_see_all", f'FOR SELECT TO "{approvers}" USING (true)'),
        ("shipped", "approvers_see_all", f'FOR SELECT TO "{approvers}" USING (true)'),
    )
    return (
        *[_role(name) for name in (agents, approvers)],
        "REVOKE ALL ON SCHEMA interlock FROM PUBLIC",
        "REVOKE ALL ON ALL TABLES IN SCHEMA interlock FROM PUBLIC",
        f"REVOKE ALL ON ALL TABLES IN SCHEMA interlock FROM {both}",
        f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA interlock FROM {both}",
        f"GRANT USAGE ON SCHEMA interlock TO {both}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA interlock TO {both}",
        f'GRANT INSERT ON interlock.shipped TO "{agents}"',
        *[f'GRANT EXECUTE ON FUNCTION {_SIGNATURES[name]} TO "{agents}"' for name in _FOR_AGENTS],
        *[f'GRANT EXECUTE ON FUNCTION {_SIGNATURES[name]} TO "{approvers}"' for name in _FOR_APPROVERS],
        "ALTER TABLE interlock.origins ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE interlock.shipped ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE interlock.machines ENABLE ROW LEVEL SECURITY",
        *[
            statement
            for table, name, words in policies
            for statement in (
                f"DROP POLICY IF EXISTS {name} ON interlock.{table}",
                f"CREATE POLICY {name} ON interlock.{table} {words}",
            )
        ],
    )


def _role(name: str) -> str:
    return f"""DO $body$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '{name}') THEN
    CREATE ROLE "{name}" NOLOGIN;
  END IF;
END $body$"""  # noqa: S608 - a checked name


# What the account of this connection may do: (account, write all, ship, redeem, answer). A store without the functions
# answers null for what needs one.
MAY = f"""SELECT session_user::text,
  has_table_privilege('interlock.ledger', 'INSERT') OR has_table_privilege('interlock.grants', 'UPDATE'),
  has_table_privilege('interlock.shipped', 'INSERT'),
  has_function_privilege(to_regprocedure('{_SIGNATURES["redeem"]}'), 'EXECUTE'),
  has_function_privilege(to_regprocedure('{_SIGNATURES["answer"]}'), 'EXECUTE')
    OR has_function_privilege(to_regprocedure('{_SIGNATURES["give_grant"]}'), 'EXECUTE')"""

REDEEM_AS = "SELECT o_seq, o_hash FROM interlock.redeem(?, ?)"
GIVE = "SELECT o_seq, o_hash FROM interlock.give_grant(?, ?, ?, ?, ?, ?)"
REVOKE_AS = "SELECT o_seq, o_hash FROM interlock.revoke_grant(?, ?)"
ANSWER = "SELECT o_seq, o_hash FROM interlock.answer(?, ?)"
BEGIN_ORIGIN = "SELECT interlock.begin_origin(?, ?, ?, ?)"
MOVE_ORIGIN_AS = "SELECT interlock.move_origin(?, ?, ?, ?, ?, ?, ?)"
