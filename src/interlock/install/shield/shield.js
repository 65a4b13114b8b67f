// Interlock's shield: keeps plug-ins of others from standing between this client and Interlock's settings hook.
//
// It decides nothing about a call. It refuses plug-ins that carry code unless a person has admitted them, sends the
// settings hooks' events past all of them, and lets no call run that Interlock's hook has not judged as it is. Where the
// hook has a question, it puts that before the person; the client tells the hook what they chose, and the hook judges anew.
// Whatever goes wrong here ends in a refusal: a handler without `.catch` would let the call go on.
const ADMITTED = new Set(/* folders */ [])
const KEY = 'interlock_shield' // an argument that only Interlock's hook knows what to do with
const OF_CODE = 'toolu_plugin_' // how the id of a call begins that a plug-in makes; a model's endpoint may not use it
const TEXTS = ['skills', 'commands', 'agents', 'outputStyles', 'themes', 'workflows'] // what an agent reads, and no program runs
const KEPT = 512 // calls that may be under way at once

const CURE = 'to have it loaded, run in a terminal of your own: interlock mods'
const NOT_JUDGED = 'Interlock: its hook has not judged this call, so it does not run. See: interlock doctor'
const REWRITTEN = 'Interlock: the call was changed after it was judged, so it does not run'
const FAILED = 'Interlock: the shield failed, so this call does not run'

const DENIED = '' // in place of what was judged
const judged = new Map() // id of a call -> the tool and the input that were judged
const asked = new Set() // the tool and the input of calls that Interlock asks about

// The same text for the same value, whatever the order of its keys: what `bytes/canon.py` writes for it.
const canonical = value => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) return '{"$integer":"' + value + '"}'
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return '[' + value.map(canonical).join(',') + ']'
  const keys = Object.keys(value).filter(key => value[key] !== undefined).sort()
  const tagged = keys.length === 1 && /^\$+integer$/.test(keys[0]) ? '$' : ''
  return '{' + keys.map(key => JSON.stringify(tagged + key) + ':' + canonical(value[key])).join(',') + '}'
}

const digest = async value => {
  const raw = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(value)))
  return 'sha256:' + Array.from(new Uint8Array(raw), byte => byte.toString(16).padStart(2, '0')).join('')
}

// Arguments with the names of the event's own fields come apart from the others.
const OWN = ['tool', 'tool_use_id', 'agentId', 'requestMeta', '$shadowed']
const argumentsOf = ({ tool, tool_use_id, agentId, requestMeta, $shadowed, ...given }) => ({ ...given, ...$shadowed })

const withArguments = ({ tool, tool_use_id }, given) => {
  const named = Object.entries(given)
  const apart = named.filter(([name]) => OWN.includes(name))
  const others = Object.fromEntries(named.filter(([name]) => !OWN.includes(name)))
  return { ...others, tool, tool_use_id, ...(apart.length > 0 ? { $shadowed: Object.fromEntries(apart) } : {}) }
}

const keep = (id, text) => {
  judged.delete(id)
  judged.set(id, text)
  if (judged.size > KEPT) judged.delete(judged.keys().next().value)
}

const refused = (e, answer) => {
  keep(e.tool_use_id, DENIED)
  return answer
}

// What hooks answer in place of the person. Another input is another call, which nobody judged; and what Interlock asks,
// no hook answers: without an answer the client puts the question to the person.
const answersOf = (e, answer) => {
  const { decision, ...rest } = answer ?? {}
  if (decision?.behavior !== 'allow' || e.tool_name === 'AskUserQuestion') return answer
  const was = canonical(e.tool_input)
  if (decision.updatedInput !== undefined && canonical(decision.updatedInput) !== was)
    return { ...rest, decision: { behavior: 'deny', message: REWRITTEN } }
  return asked.has(canonical([e.tool_name, e.tool_input])) ? rest : answer
}

// Notes to the agent, without the line by which the hook shows what it judged, and without the question that it may want
// put before the person; null where the first line is missing.
const notesWithout = (notes, proof) => {
  let answered = false
  let question
  const left = []
  for (const note of notes ?? []) {
    const others = []
    for (const line of String(note).split('\n')) {
      if (line === proof) answered = true
      else if (line.startsWith(proof + ':')) question = JSON.parse(line.slice(proof.length + 1))
      else others.push(line)
    }
    if (others.join('') !== '') left.push(others.join('\n'))
  }
  return answered ? { left, question } : null
}

const carriesCode = e =>
  !e.provides ||
  Object.entries(e.provides).some(([kind, parts]) => !TEXTS.includes(kind) && (!Array.isArray(parts) || parts.length > 0)) ||
  (e.unread ?? []).some(kind => !TEXTS.includes(kind))

export const register = on => {
  on('plugin.register', ($, e, next) =>
    e.tier === 'builtin' || ADMITTED.has(e.root) || !carriesCode(e)
      ? next(e)
      : { refuse: 'Interlock does not know this plug-in, and it carries code; ' + CURE }
  ).catch(() => ({ refuse: 'Interlock could not look at this plug-in' }))

  // --- not with managed settings, where a plug-in of the client's own keeps these events from those of a user
  on('classic.*', async ($, e, next) => {
    const called = next.event === 'classic.PreToolUse'
    const shown = next.event === 'classic.PermissionRequest'
    if (next.origin.plugin === $.plugin.name && (called || shown)) return {} // a question of ours: no hook answers it
    if (called) return next(e)
    return shown ? answersOf(e, await next.to(e, 'builtin')) : next.to(e, 'builtin')
  }).catch(($, e, next) => {
    if (next.event === 'classic.PreToolUse') return refused(e, { deny: FAILED })
    return next.event === 'classic.PermissionRequest' ? {} : next.to(e, 'builtin')
  })

  // A handler of its own: the events of a question pass every handler but the one that asked.
  on('classic.PreToolUse', async ($, e, next) => {
    const forged = next.origin.tier === 'core' && String(e.tool_use_id).startsWith(OF_CODE)
    if (KEY in e || forged) return refused(e, { deny: NOT_JUDGED })
    const session = await $.session.id()
    const first = canonical(argumentsOf(e))
    let given = e
    let asks
    let put = false
    for (let round = 0; round < (put ? 4 : 3); round++) {
      const word = crypto.randomUUID().replaceAll('-', '')
      const answer = await next.to({ ...given, [KEY]: word }, 'builtin')
      const input = argumentsOf(given)
      const shown = { call: e.tool_use_id, input, session, tool: e.tool, word }
      const told = notesWithout(answer.additionalContext, KEY + ':' + (await digest(shown)))
      const { additionalContext: all, ...rest } = answer
      const notes = told?.left ?? all ?? []
      if (answer.deny !== undefined) return refused(e, notes.length > 0 ? { ...rest, additionalContext: notes } : rest)
      if (told === null) return refused(e, { deny: NOT_JUDGED })
      const { [KEY]: _, ...then } = answer.updatedInput ?? input
      const was = canonical(input)
      if (canonical(then) !== was) {
        asks ??= answer.ask
        given = withArguments(e, then) // another hook rewrites it: judged anew
        continue
      }
      if (told.question !== undefined && answer.ask !== undefined && asks === undefined && !put) {
        put = true // once: what nobody answered is the client's own question
        const { text, choices } = told.question
        try {
          await $.ui.ask(text, { header: 'Interlock', options: choices })
        } catch {} // nobody answered
        continue // the hook has heard the answer from the client, and judges the same call again
      }
      asks ??= answer.ask
      const { updatedInput: _u, ...verdict } = rest
      keep(e.tool_use_id, canonical([e.tool, then]))
      if (asks !== undefined) asked.add(canonical([e.tool, then]))
      if (asked.size > KEPT) asked.delete(asked.values().next().value)
      return {
        ...(asks === undefined ? verdict : { ask: asks }),
        ...(was === first ? {} : { updatedInput: then }),
        ...(notes.length > 0 ? { additionalContext: notes } : {}),
      }
    }
    return refused(e, { deny: REWRITTEN })
  }).catch(($, e) => refused(e, { deny: FAILED }))

  on('settings.read', ($, e, next) => next.to(e, 'builtin')).catch(($, e, next) => next.to(e, 'builtin'))

  on('tool.check', ($, e, next) => {
    const ofAnother = next.origin.tier !== 'core' && e.tool === 'AskUserQuestion' // a dialog of an admitted plug-in
    if (e.tool_use_id === undefined || ofAnother) return next.to(e, 'builtin') // nothing runs
    const was = judged.get(e.tool_use_id)
    if (was === DENIED) return next.to(e, 'builtin').then(found => (found.decision === 'deny' ? found : { decision: 'deny', reason: NOT_JUDGED }))
    if (was === undefined) return { decision: 'deny', reason: NOT_JUDGED }
    if (was !== canonical([e.tool, e.input])) return { decision: 'deny', reason: REWRITTEN }
    return next.to(e, 'builtin')
  }).catch(() => ({ decision: 'deny', reason: FAILED }))
}
