"""The OpenAPI document, made from the table of routes and the schemas below."""

from __future__ import annotations

import re
from typing import Any

from .. import __version__
from ..limits import MAX_ID_CHARS, MAX_PATH_CHARS, MAX_WAIT_SECONDS
from ..model.call import KEYED
from .errors import CODES
from .records import EVENTS
from .routes import ROUTES, Route

__all__ = ["SCHEMAS", "document"]

_Schema = dict[str, Any]
_TEXT: _Schema = {"type": "string"}
_MAYBE: _Schema = {"type": ["string", "null"]}
_MOMENT: _Schema = {"type": "string", "format": "date-time"}
_TEXTS: _Schema = {"type": "array", "items": _TEXT}


def _object(
    required: dict[str, _Schema], optional: dict[str, _Schema] | None = None, *, closed: bool = True
) -> _Schema:
    made: _Schema = {"type": "object", "properties": {**required, **(optional or {})}, "required": sorted(required)}
    return {**made, "additionalProperties": False} if closed else made


_PATH: _Schema = {"type": "string", "maxLength": MAX_PATH_CHARS}
_ID: _Schema = {"type": "string", "maxLength": MAX_ID_CHARS}
_CALL: tuple[dict[str, _Schema], dict[str, _Schema]] = (
    {
        "tool": {**_ID, "description": "The tool's name, as the policy knows it.", "pattern": r"\S"},
        "input": {"type": "object", "description": "Its arguments."},
    },
    {
        "cwd": {**_PATH, "description": "The working folder. Default: the service's.", "pattern": "^/"},
        "session": {**_ID, "description": "Calls of one session share its state. Default: the token's own."},
        "agent": {**_ID, "description": "The id of a sub-agent."},
        "agent_type": {**_ID, "description": "What kind of agent it is."},
        "host": {**_ID, "description": "The agent host whose tools these are, such as `claude-code`."},
        "state": {"type": "object", "description": "What contracts may refer to."},
        "preview": {"description": "What the tool's own dry run says of it; for tools with `dryrun = true`."},
        "attempt": {
            **_ID,
            "maxLength": len(KEYED) + MAX_ID_CHARS,
            "description": "Tells two tries of the same call apart.",
        },
    },
)
_APPROVAL: dict[str, _Schema] = {
    "id": _TEXT,
    "status": {"enum": ["pending", "halfway", "approved", "denied", "expired", "redeemed", "closed", "applied"]},
    "dead": {**_MAYBE, "description": "Why it can no longer fire."},
    "tool": _TEXT,
    "input": {"type": ["object", "null"], "description": "The call's input, secrets left out."},
    "hidden": {"type": "integer", "description": "How many values of the input are hidden, and cannot be revealed."},
    "folder": _TEXT,
    "session": _TEXT,
    "reasons": _TEXTS,
    "needs": {"enum": ["weak", "medium", "strong"]},
    "asked_at": _MOMENT,
    "expires_at": {"anyOf": [_MOMENT, {"type": "null"}]},
    "answer": {"type": ["object", "null"]},
    "receipt": _TEXT,
}

SCHEMAS: dict[str, _Schema] = {
    "Call": _object(*_CALL),
    "Outcome": _object(
        {**_CALL[0], "outcome": {"enum": ["ran", "failed", "not_run", "unknown"]}},
        {**_CALL[1], "result": {"description": "What came back. Only a digest of it is kept."}},
    ),
    "Message": _object(
        {"session": _ID, "text": {"type": "string", "description": "The person's words. Only digests are kept."}},
        {"cwd": _PATH, "host": _ID},
    ),
    "Decision": _object(
        {
            "verdict": {"enum": ["allow", "ask", "deny"]},
            "agent": {"type": "string", "description": "What to tell the agent."},
            "notes": _TEXTS,
            "audit_entry_id": _TEXT,
            "receipt": _TEXT,
        },
        {
            "approval_id": _TEXT,
            "expires_at": {"anyOf": [_MOMENT, {"type": "null"}]},
            "status": {"enum": ["pending"]},
            "enforced": {"type": "boolean"},
            "observed": {"enum": ["ask", "deny"]},
            "replayed": {"type": "boolean"},
            "mode": {"const": "preview", "description": "Nothing was kept: it is only told what would be decided."},
            "decision": {"type": "object", "description": "All that was found; where the service is verbose."},
            "warnings": _TEXTS,
        },
    ),
    "Recorded": _object({"recorded": {"const": True}}, {"warnings": _TEXTS}),
    "Approval": _object(_APPROVAL, closed=False),
    "Approvals": _object(
        {
            "approvals": {"type": "array", "items": {"$ref": "#/components/schemas/Approval"}},
            "next": {**_MAYBE, "description": "`cursor` of the next page."},
        }
    ),
    "Answer": _object(
        {"answer": {"enum": ["approve", "deny"]}},
        {
            "reach": {"enum": ["once", "session", "folder", "repository", "everywhere"], "default": "once"},
            "reason": {"type": "string", "maxLength": 2000},
            "confirm_hidden": {
                "type": "boolean",
                "default": False,
                "description": "The yes counts although values of the call are hidden. Needed where `hidden` is not 0.",
            },
        },
    ),
    "Audit": _object(
        {
            "rows": {
                "type": "array",
                "items": _object(
                    {
                        "check_name": _TEXT,
                        "decision": {"enum": ["allow", "block", "escalate"]},
                        "reason": _TEXT,
                        "metadata": {"type": "object"},
                        "seq": {"type": "integer"},
                        "at": _MOMENT,
                    }
                ),
            },
            "next": {"type": ["integer", "null"], "description": "`before` of the next page."},
        }
    ),
    "Receipt": {"type": "object"},
    "Document": {"type": "object"},
    "Health": _object({"status": {"const": "ok"}, "engine": _TEXT}),
    "Readiness": _object(
        {"ready": {"type": "boolean"}, "ledger": _TEXT, "policy": _TEXT, "waiting": {"enum": ["told", "polls"]}}
    ),
    "Error": _object({"error": _object({"code": {"enum": sorted(CODES)}, "message": _TEXT})}),
}
_MEDIA = {"Stream": "text/event-stream", "Text": "text/plain"}
_QUERY: dict[str, _Schema] = {
    "wait": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS},
    "mode": {"enum": ["decide", "preview"]},
    "state": {"enum": ["pending", "all"]},
    "after": {"type": "integer", "minimum": 0, "maximum": 10**17},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
    "cursor": {"type": "string", "minLength": 1, "maxLength": 100},
    "before": {"type": "integer", "minimum": 1, "maximum": 10**17},
    "decision": {"enum": ["allow", "block", "escalate"]},
    "session": _TEXT,
}
_SAYS = {
    "wait": "Seconds to wait for a person before it answers.",
    "mode": "`preview`: tell what would be decided, and keep nothing.",
    "state": "Which: those that wait, or all.",
    "after": "Begin after the row of this number, as `Last-Event-ID` does.",
    "limit": "How many at most.",
    "cursor": "Behind the page that gave it as `next`.",
    "before": "Older than the row of this number.",
    "decision": "Only these.",
    "session": "Only of this session.",
}
_ALWAYS = ("bad_request", "forbidden", "misdirected", "unavailable")
_WITH_TOKEN = ("unauthenticated", "rate_limited")
_WITH_BODY = ("too_large", "unsupported_media_type", "unprocessable", "conflict")


def document(url: str) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Interlock",
            "version": __version__,
            "description": "Decides, before it fires, whether a tool call that an AI agent proposes may run. "
            f"Events: {', '.join(EVENTS)}.",
        },
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    made: dict[str, Any] = {"operationId": route.does, "summary": route.says, "responses": _responses(route)}
    if route.roles is not None:
        made["security"] = [{"token": []}]
        made["description"] = f"For tokens of role {', '.join(sorted(route.roles))}."
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    parameters += [
        {"name": name, "in": "query", "schema": _QUERY[name], "description": _SAYS[name]} for name in route.query
    ]
    if route.does == "decide":
        key = {"type": "string", "minLength": 1, "maxLength": MAX_ID_CHARS, "pattern": "^[!-~]+$"}
        parameters.append({"name": "Idempotency-Key", "in": "header", "schema": key})
    if parameters:
        made["parameters"] = parameters
    if route.body:
        body = {"application/json": {"schema": {"$ref": f"#/components/schemas/{route.body}"}}}
        made["requestBody"] = {"required": True, "content": body}
    return made


def _responses(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = {}
    codes = [*_ALWAYS, *(_WITH_TOKEN if route.roles is not None else ()), *(_WITH_BODY if route.body else ())]
    if "{" in route.path:
        codes.append("not_found")
    for code in codes:
        found[str(CODES[code])] = _response("Error", code.replace("_", " "))
    for status, schema in route.answers:
        told = _response(schema, _STATUS.get(status, "done"))
        other = found.get(str(status))
        if other is not None and schema != "Error":  # a deny and a refusal have one status
            both = [told["content"]["application/json"]["schema"], other["content"]["application/json"]["schema"]]
            told["content"]["application/json"]["schema"] = {"oneOf": both}
        found[str(status)] = told
    return dict(sorted(found.items()))


_STATUS = {200: "allowed, or done", 202: "a person is asked", 403: "denied", 503: "not ready"}


def _response(schema: str, says: str) -> dict[str, Any]:
    if schema in _MEDIA:
        return {"description": says, "content": {_MEDIA[schema]: {"schema": _TEXT}}}
    return {
        "description": says,
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}},
    }
