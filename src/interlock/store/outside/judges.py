"""Asks two models of different families what they think of a call. What they say can only tighten (`layers/judge.py`).

Whatever goes wrong (no key, no answer in time, an error, a redirect, too much, anything but the one JSON object) is an
abstention, with what went wrong. Two wire forms: OpenAI's chat completions and Anthropic's messages, each with no more
in it than every endpoint of that form takes.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping
from typing import Any

from ...approve.glob import matches
from ...bytes.canon import digest_of_bytes
from ...bytes.redact import redact
from ...bytes.strict import parse_object
from ...model.action import Judgement, Reading
from ...model.call import Call
from ...model.decision import Decision
from ...model.errors import InputError, StoreError
from ...policy.judging import Judge, Judging
from ...policy.model import Policy
from ...value import Value
from ..home.files import read_file
from .judge_prompt import TASK, question_about
from .models import MAX_ANSWER, in_time, line_of, post_to_model, why_failed

__all__ = ["Answer", "answers_of", "judgements_of", "takes"]

_MAX_QUESTION = 48 * 1024  # bytes of a question; a longer one is not asked
_MAX_KEY = 4096
_MAX_TOKENS = 400  # of an answer, where the form wants a number; the object itself needs a tenth of it
_VERSION = "2023-06-01"  # of Anthropic's messages
_SAYS = ("safe", "unsafe", "abstain")


class Answer(Value):
    """
    judgement  what counts
    trouble    why there is none; empty: it answered
    seconds    how long it took
    sent       tokens that were sent, `back` that came back, as the endpoint counts them; 0: it does not say
    """

    judgement: Judgement
    trouble: str = ""
    seconds: float = 0.0
    sent: int = 0
    back: int = 0

    def cost(self, judge: Judge) -> float:
        return (self.sent * judge.input_price + self.back * judge.output_price) / 1_000_000


def takes(judging: Judging, call: Call) -> bool:
    """Whether they are asked about calls of this tool."""
    return not judging.tools or any(matches(glob, call.tool) for glob in judging.tools)


def judgements_of(
    judging: Judging, call: Call, reading: Reading, decision: Decision, policy: Policy, home: str, seconds: float
) -> tuple[Judgement, ...]:
    """What both say; empty where they are not asked about such calls. Ends within the seconds."""
    if not takes(judging, call):
        return ()
    answers = answers_of(judging, question_about(call, reading, decision, policy), home, seconds)
    return tuple([answer.judgement for answer in answers])


def answers_of(judging: Judging, question: str, home: str, seconds: float) -> tuple[Answer, ...]:
    works = [lambda judge=judge: _asked(judge, question, home, seconds) for judge in judging.both]
    found = in_time(works, seconds)
    return tuple(
        [
            _abstains(judge, f"no answer within {seconds:g} seconds", seconds=seconds) if answer is None else answer
            for judge, answer in zip(judging.both, found, strict=True)
        ]
    )


def _abstains(judge: Judge, trouble: str, **more: Any) -> Answer:
    asked, answer = more.pop("asked", ""), more.pop("answer", "")
    trouble = redact(trouble)
    judgement = Judgement(
        model=judge.model, family=judge.family, says="abstain", why=trouble, asked=asked, answer=answer
    )
    return Answer(judgement=judgement, trouble=trouble, **more)


def _asked(judge: Judge, question: str, home: str, seconds: float) -> Answer:
    if len(question.encode()) > _MAX_QUESTION:
        return _abstains(judge, f"the call and its policy are longer than {_MAX_QUESTION} bytes")
    key, asked, answer, began = "", "", "", time.monotonic()
    try:
        key = _key_of(judge, home)
        body = _body(judge, question)
        asked = digest_of_bytes(body)
        raw = post_to_model(judge.endpoint, body, _headers(judge, key), seconds)
        answer = digest_of_bytes(raw)
        said, sent, back = _said(judge, raw)
        verdict, why = _verdict_in(said)
    except Exception as error:
        trouble = why_failed(error, key)
        return _abstains(judge, trouble, asked=asked, answer=answer, seconds=time.monotonic() - began)
    return Answer(
        judgement=Judgement(
            model=judge.model, family=judge.family, says=verdict, why=redact(why), asked=asked, answer=answer
        ),
        seconds=time.monotonic() - began,
        sent=sent,
        back=back,
    )


def _key_of(judge: Judge, home: str) -> str:
    """The key, from the variable or the file that the policy names; empty where it names none."""
    if judge.key:
        found = os.environ.get(judge.key, "")
        if not found:
            raise StoreError(f"the variable `{judge.key}`, which should hold its key, is not set")
        return found
    if not judge.key_file:
        return ""
    path = home + judge.key_file[1:] if judge.key_file.startswith("~/") else judge.key_file
    raw = read_file(path, limit=_MAX_KEY)
    if raw is None:
        raise StoreError(f"`{path}`, which should hold its key, is not there")
    if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        raise StoreError(f"`{path}` holds a key, and others than you can read it: chmod 600")
    key = raw.decode("ascii", "replace").strip()
    if not key or not key.isprintable() or " " in key:
        raise StoreError(f"`{path}` should hold one key and nothing else")
    return key


def _headers(judge: Judge, key: str) -> dict[str, str]:
    if judge.api == "anthropic":
        return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}
    return {"Authorization": f"Bearer {key}"} if key else {}


def _body(judge: Judge, question: str) -> bytes:
    """No temperature and no limit of tokens where the form does not demand it: some models refuse either."""
    user = {"role": "user", "content": question}
    if judge.api == "anthropic":
        body: dict[str, Any] = {"model": judge.model, "max_tokens": _MAX_TOKENS, "system": TASK, "messages": [user]}
    else:
        body = {"model": judge.model, "stream": False, "messages": [{"role": "system", "content": TASK}, user]}
    return json.dumps(body, ensure_ascii=True).encode()


def _said(judge: Judge, raw: bytes) -> tuple[str, int, int]:
    """The text of the answer, and the tokens that were counted."""
    found = parse_object(raw, limit=MAX_ANSWER)
    usage = found.get("usage")
    if judge.api == "anthropic":
        names = ("input_tokens", "output_tokens")
        blocks = [block for block in _listed(found, "content") if block.get("type") == "text"]
        text = blocks[0].get("text") if len(blocks) == 1 else None
    else:
        names = ("prompt_tokens", "completion_tokens")
        choices = _listed(found, "choices")
        message = choices[0].get("message") if len(choices) == 1 else None
        text = message.get("content") if isinstance(message, Mapping) else None
    if type(text) is not str:
        raise InputError("the answer holds no text")
    counted = [usage.get(name) if isinstance(usage, Mapping) else 0 for name in names]
    sent, back = [count if type(count) is int and count > 0 else 0 for count in counted]
    return text, sent, back


def _listed(found: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = found.get(key)
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, tuple | list) else []


def _verdict_in(text: str) -> tuple[str, str]:
    """The one object that counts as an answer: these two keys, a known word, a text."""
    found = parse_object(text.strip().encode(), limit=MAX_ANSWER)
    if set(found) != {"verdict", "reason"} or found["verdict"] not in _SAYS or type(found["reason"]) is not str:
        raise InputError("the answer is not the JSON object that was asked for")
    return str(found["verdict"]), line_of(found["reason"])
