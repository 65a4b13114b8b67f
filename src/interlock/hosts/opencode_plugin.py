"""The plug-in that stands between OpenCode and the hook: one file of JavaScript, which carries our entries as JSON.

It hands each call to the hook and throws on anything but the one answer that allows, also where the hook is gone, late
or broken: OpenCode takes what is thrown for a deny. A file counts as ours only if it is this text, to the byte.

A project's plug-ins run in the same realm. By patching what this file uses, or by writing to an input, they change
neither what was judged nor the answer. What they do to the client, or by themselves, no plug-in can hold (ADR 104).
"""

from __future__ import annotations

import json

from ..value import TYPE_CHECKING
from .lines import LATE_SECONDS

if TYPE_CHECKING:
    from typing import Any

__all__ = ["ALLOWED", "SHELLS", "embedded", "text_of"]

ALLOWED = '{"decision":"allow"}\n'  # INVARIANT: what `opencode.spoken` prints for an allow, to the byte
SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash")
_GONE = (
    "Interlock: No answer came, so this call is blocked. If Interlock was moved or removed, install it again and run "
    "`interlock install opencode`, or remove this plug-in (interlock.js)."
)
_REWRITTEN = (
    "Interlock: A call ran with another input than the one that was judged, or without being judged: another plug-in "
    "changed it. No further call runs until OpenCode is started again. Tell the person to look at the plug-ins in "
    "`.opencode` and run `interlock doctor opencode`."
)
_BEFORE, _AFTER = "const ENTRIES = ", ";\n"
_TEXT = """\
// Interlock's plug-in for OpenCode. `interlock install opencode` wrote it, `interlock uninstall opencode` removes it.
//
// Plug-ins of a project run in this realm and are loaded after this one. What is used below was taken when this file
// was loaded, texts are built without asking prototypes, and what was judged is frozen before another plug-in sees it.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { isProxy } from "node:util/types"

// What is imported from Node can be exchanged later, and shows here: a name of our own cannot.
const startedByNode = spawnSync
const isProxied = isProxy

const ENTRIES = @ENTRIES@;
const ALLOWED = @ALLOWED@
const GONE = @GONE@
const REWRITTEN = @REWRITTEN@

const { freeze, keys, hasOwn, getOwnPropertyDescriptor: described, create } = Object
const { apply } = Reflect
const { stringify, parse } = JSON
const { isArray } = Array
const { isFinite } = Number
const { slice } = String.prototype
const { decode } = TextDecoder.prototype
const { encode } = TextEncoder.prototype
const utf8 = [new TextDecoder(), new TextEncoder()]
const startedByBun = typeof Bun === "object" ? Bun.spawnSync : null
const Failure = Error

// An object that has what it is given, and inherits nothing.
function plain(fields) {
  const found = create(null)
  for (const key of keys(fields)) found[key] = fields[key]
  return found
}

const ENVIRONMENT = freeze(plain(process.env)) // as it was: a variable can load code into the hook
const COMMAND = String(process.argv[2] ?? "")
const LIMITS = { timeout: @MILLISECONDS@, killSignal: "SIGKILL", maxBuffer: 1 << 22, env: ENVIRONMENT }
freeze(LIMITS)

const parents = create(null) // the session of a sub-agent -> that of the agent that started it
const judged = create(null) // a call -> the inputs that were allowed under its name
let locked = "" // why nothing runs any more
let pending = "" // what is told with the next result

// JSON, and no word of an object's own about how it is written. `fix`: nothing of it changes any more.
function written(value, fix) {
  if (typeof value === "string") return stringify(value)
  if (typeof value === "boolean" || (typeof value === "number" && isFinite(value))) return "" + value
  if (typeof value !== "object" || value === null) return "null"
  if (fix && isProxied(value)) throw new Failure("an input is not plain")
  let text = ""
  if (isArray(value)) {
    for (let at = 0; at < value.length; at += 1) text += (at ? "," : "") + written(field(value, at, fix), fix)
    text = "[" + text + "]"
  } else {
    const names = keys(value)
    for (let at = 0; at < names.length; at += 1) {
      const found = field(value, names[at], fix)
      if (found !== undefined) text += (text ? "," : "") + stringify(names[at]) + ":" + written(found, fix)
    }
    text = "{" + text + "}"
  }
  if (fix) freeze(value)
  return text
}

function field(value, name, fix) {
  if (!fix) return value[name]
  const found = described(value, name)
  if (found === undefined) return undefined
  if (!hasOwn(found, "value")) throw new Failure("an input is not plain")
  return found.value
}

// The exit code, and what was written to stdout and stderr.
function run(command, args, text) {
  if (startedByBun) {
    const options = plain(LIMITS)
    options.cmd = [command]
    for (let at = 0; at < args.length; at += 1) options.cmd[at + 1] = args[at]
    options.stdin = apply(encode, utf8[1], [text])
    options.stdout = options.stderr = "pipe"
    const done = startedByBun(options)
    return [done.exitCode, done.stdout, done.stderr, done.signalCode]
  }
  const options = plain(LIMITS)
  options.input = text
  const done = startedByNode(command, args, options)
  if (done.error) throw done.error
  return [done.status, done.stdout, done.stderr, done.signal]
}

// What the hook wrote. Throws unless it left with 0 in time.
function answerTo(name, text) {
  const { command, args } = ENTRIES.hooks[name][0].hooks[0]
  const done = run(command, args, text)
  if (done[0] !== 0) {
    const why = apply(decode, utf8[0], [done[2]])
    throw new Failure(why && why !== "\\n" ? why : "it left with " + (done[0] ?? done[3]))
  }
  return apply(decode, utf8[0], [done[1]])
}

// Throws unless the call is allowed.
function judge(name, text) {
  let said = ""
  try {
    said = answerTo(name, text)
  } catch (error) {
    throw new Failure(GONE + " (" + error.message + ")")
  }
  if (said === ALLOWED) return
  let reason = GONE
  try {
    reason = parse(said).reason || GONE
  } catch {}
  throw new Failure("" + reason)
}

// What the hook has to say about something that has happened already; nothing where it cannot.
function tell(name, event) {
  try {
    const said = answerTo(name, written(event, false))
    return said ? "" + (parse(said).told ?? "") : ""
  } catch {
    return ""
  }
}

// Commands are read as bash, so they run in it, whatever SHELL or a project's settings name.
const BASH = @SHELLS@.find((path) => existsSync(path))

export const Interlock = async ({ directory, worktree }) => {
  let settings = {}
  const about = (name, session) => ({
    hook_event_name: name,
    session_id: session,
    parent_id: parents[session],
    cwd: directory,
    worktree,
    command: COMMAND,
    shell: settings.shell ?? "",
  })
  return freeze({
    config: async (config) => {
      settings = config
      if (BASH) config.shell = BASH
    },
    "tool.execute.before": async (input, output) => {
      if (locked) throw new Failure(locked)
      let given = ""
      try {
        given = written(output.args, true)
      } catch (error) {
        throw new Failure(GONE + " (" + error.message + ")")
      }
      const head = written({ ...about("tool.execute.before", input.sessionID), tool_name: input.tool }, false)
      judge("tool.execute.before", apply(slice, head, [0, -1]) + ',"tool_input":' + given + "}")
      const name = input.sessionID + "\\n" + input.callID + "\\n" + input.tool
      judged[name] ??= create(null)
      judged[name][given] = (judged[name][given] ?? 0) + 1
    },
    "tool.execute.after": async (input, output) => {
      const name = input.sessionID + "\\n" + input.callID + "\\n" + input.tool
      const given = written(input.args, false)
      const allowed = judged[name]
      if (!allowed || !allowed[given]) locked = pending = REWRITTEN
      else if (--allowed[given] === 0) delete allowed[given]
      if (allowed && keys(allowed).length === 0) delete judged[name]
      const call = { tool_name: input.tool, tool_input: input.args }
      const exit = output?.metadata?.exit
      const text = typeof output?.output === "string" ? output.output : null
      const response = text && apply(slice, text, [0, 100000])
      const ended = { exit: exit === undefined ? "none" : exit, tool_response: response }
      const told = tell("tool.execute.after", { ...about("tool.execute.after", input.sessionID), ...call, ...ended })
      if (text === null) return
      for (const said of [told, pending]) if (said) output.output += "\\n\\n" + said
      pending = ""
    },
    "chat.message": async (input, output) => {
      const parts = output.parts.filter((part) => part.type === "text")
      const synthetic = parts.length === 0 || parts.some((part) => part.synthetic)
      const prompt = parts.map((part) => part.text).join("\\n")
      const said = { message_id: output.message.id, prompt, synthetic }
      tell("chat.message", { ...about("chat.message", input.sessionID), ...said })
    },
    event: async ({ event }) => {
      if (event.type !== "session.created") return
      const { id, parentID } = event.properties.info
      if (parentID) parents[id] = parentID
      else pending = tell("session.created", about("session.created", id)) || pending
    },
  })
}
"""


def text_of(settings: dict[str, Any]) -> str:
    """The plug-in with these entries."""
    texts = {
        "@ALLOWED@": ALLOWED,
        "@GONE@": _GONE,
        "@REWRITTEN@": _REWRITTEN,
        "@SHELLS@": SHELLS,
        "@MILLISECONDS@": LATE_SECONDS * 1000,
        "@ENTRIES@": settings,  # the last: a path in it may hold any text
    }
    found = _TEXT
    for mark, value in texts.items():
        found = found.replace(mark, json.dumps(value), 1)
    return found


def embedded(raw: bytes | None) -> dict[str, Any]:
    """The entries in a file, if it is this plug-in and nothing else; empty where it is not."""
    text = (raw or b"").decode("utf-8", "replace")
    try:
        settings = json.loads(text.partition(_BEFORE)[2].partition(_AFTER)[0])
    except ValueError:
        return {}
    return settings if isinstance(settings, dict) and text_of(settings) == text else {}
