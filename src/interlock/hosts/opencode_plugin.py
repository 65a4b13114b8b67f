"""The plug-in that stands between OpenCode and the hook: one file of JavaScript, which carries our entries as JSON.

It hands each call to the hook and throws on anything but the one answer that allows, also where the hook is gone, late
or broken: OpenCode takes what is thrown for a deny. A file counts as ours only if it is this text, to the byte.
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
_BEFORE, _AFTER = "const ENTRIES = ", ";\n"
_TEXT = """\
// Interlock's plug-in for OpenCode. `interlock install opencode` wrote it, `interlock uninstall opencode` removes it.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const ENTRIES = @ENTRIES@;
const ALLOWED = @ALLOWED@
const GONE = @GONE@
const parents = new Map() // the session of a sub-agent -> that of the agent that started it

// What the hook wrote. Throws unless it left with 0 in time.
function answerTo(event) {
  const { command, args } = ENTRIES.hooks[event.hook_event_name][0].hooks[0]
  const options = { input: JSON.stringify(event), timeout: @MILLISECONDS@, killSignal: "SIGKILL", maxBuffer: 1 << 22 }
  const done = spawnSync(command, args, options)
  if (done.error) throw done.error
  if (done.status !== 0) throw new Error(String(done.stderr).trim() || "it left with " + (done.status ?? done.signal))
  return done.stdout.toString("utf8")
}

// Throws unless the call is allowed.
function judge(event) {
  let said = ""
  try {
    said = answerTo(event)
  } catch (error) {
    throw new Error(GONE + " (" + error.message + ")")
  }
  if (said === ALLOWED) return
  let reason = GONE
  try {
    reason = JSON.parse(said).reason || GONE
  } catch {}
  throw new Error(String(reason))
}

// What the hook has to say about something that has happened already; nothing where it cannot.
function tell(event) {
  try {
    const said = answerTo(event)
    return said ? String(JSON.parse(said).told ?? "") : ""
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
    parent_id: parents.get(session),
    cwd: directory,
    worktree,
    command: process.argv[2] ?? "",
    shell: settings.shell ?? "",
  })
  return {
    config: async (config) => {
      settings = config
      if (BASH) config.shell = BASH
    },
    "tool.execute.before": async (input, output) => {
      const call = { tool_name: input.tool, tool_input: output.args }
      judge({ ...about("tool.execute.before", input.sessionID), ...call })
    },
    "tool.execute.after": async (input, output) => {
      const call = { tool_name: input.tool, tool_input: input.args }
      const exit = output?.metadata?.exit
      const text = typeof output?.output === "string" ? output.output : null
      const ended = { exit: exit === undefined ? "none" : exit, tool_response: text && text.slice(0, 100000) }
      const told = tell({ ...about("tool.execute.after", input.sessionID), ...call, ...ended })
      if (told && text !== null) output.output = text + "\\n\\n" + told
    },
    "chat.message": async (input, output) => {
      const parts = output.parts.filter((part) => part.type === "text")
      const synthetic = parts.length === 0 || parts.some((part) => part.synthetic)
      const prompt = parts.map((part) => part.text).join("\\n")
      tell({ ...about("chat.message", input.sessionID), message_id: output.message.id, prompt, synthetic })
    },
    event: async ({ event }) => {
      if (event.type !== "session.created") return
      const { id, parentID } = event.properties.info
      if (parentID) parents.set(id, parentID)
      else tell(about("session.created", id))
    },
  }
}
"""


def text_of(settings: dict[str, Any]) -> str:
    """The plug-in with these entries."""
    texts = {
        "@ALLOWED@": ALLOWED,
        "@GONE@": _GONE,
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
