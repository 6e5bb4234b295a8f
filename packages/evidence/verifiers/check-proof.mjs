// What a verifier of a proof does, whatever program it is in: it needs what JavaScript has everywhere, and a hash and signatures that are handed in.
// An export has it inside of its verify.mjs, and the page /dashboard/verify has the same (docs/reference/proof-format.md).

const FORMAT = 'tidings consent proof v1'
const HEAD_KIND = 'tidings tree head v1'
/** How a line of an anchor begins. */
const LINE = '{"signature":"'

/** So many problems are listed. */
const MOST = 100

export const HASH = /^[0-9a-f]{64}$/
const SIGNATURE = /^[0-9a-f]{128}$/
const TIME = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/
const TEXT = String
const MAYBE = [null, String]
const HEAD = { signature: SIGNATURE, statement: { at: TIME, kind: TEXT, log: HASH, root: HASH, size: Number } }
const CONSENT = {
  ...{ actor: TEXT, at: TEXT, channel: TEXT, from: MAYBE, ip: MAYBE, requestId: TEXT, revision: Number, source: TEXT, to: TEXT },
  userAgent: MAYBE,
}
const EVENT = { created: TIME, data: TEXT, id: TEXT, meta: TEXT, revision: Number, stream: TEXT, type: TEXT }
const SHAPE = {
  contacts: [
    { consents: [CONSENT], contactId: TEXT, erased: Boolean, events: [{ event: EVENT, index: Number, path: [HASH] }], revisions: Number },
  ],
  earlierHeads: [{ head: HEAD, path: [HASH] }],
  exportedAt: TIME,
  format: TEXT,
  head: HEAD,
  key: { algorithm: TEXT, fingerprint: HASH, publicKey: HASH },
  report: { file: TEXT, sha256: HASH },
  signature: SIGNATURE,
  workspace: { id: TEXT, slug: TEXT },
}

/** RFC 8785, of what a proof holds: its numbers are whole and its keys are ASCII. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
  return `{${members.join(',')}}`
}

// Cc, Cf and line separators, by number: programs know different versions of Unicode.
const UNSEEN = new RegExp(
  '[\\0-\\x1f\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e' +
    '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}' +
    '\\u{e0001}\\u{e0020}-\\u{e007f}]',
  'gu',
)

/** A sentence with what moves or hides text in a terminal made readable: the names in it are those of the writer of the folder. */
export const shownSafely = (sentence) => sentence.replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`)

const firstOf = (sentences) => [...sentences.slice(0, MOST), ...(sentences.length > MOST ? ['There is more that is not listed.'] : [])]

/** What is nested deeper, or is a longer number, is no JSON here: parsers differ about it. */
const DEEPEST = 64
const WHOLE = /^(0|[1-9][0-9]{0,15})$/

const isEscaped = (text, at) => {
  let before = at
  while (text[before - 1] === '\\') before -= 1
  return isOdd(at - before)
}

/** What RFC 8259 leaves to parsers, of a text that they take: how deep it is, and which numbers it has. */
const isWithinLimits = (text, areNumbersWhole) => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') {
      do at = text.indexOf('"', at + 1)
      while (isEscaped(text, at))
    } else if (sign === '{' || sign === '[') {
      depth += 1
      if (depth > DEEPEST) return false
    } else if (sign === '}' || sign === ']') depth -= 1
    else if (areNumbersWhole && /[-0-9]/.test(sign)) {
      const [number] = /^[-+.eE0-9]+/.exec(text.slice(at, at + 40))
      if (!WHOLE.test(number) || !Number.isSafeInteger(Number(number))) return false
      at += number.length - 1
    }
  }
  return true
}

const hasLoneSurrogate = (value) => {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).some((name) => hasLoneSurrogate(name) || hasLoneSurrogate(value[name]))
}

/** The value of a JSON text that every parser reads alike; undefined for another. `areNumbersWhole`: no other number may be in it. */
const parsedText = (text, areNumbersWhole) => {
  try {
    const value = JSON.parse(text)
    return isWithinLimits(text, areNumbersWhole) && !hasLoneSurrogate(value) ? value : undefined
  } catch {
    return undefined
  }
}

const parsedBytes = (bytes) => {
  try {
    return parsedText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), true)
  } catch {
    return undefined
  }
}

const ENCODER = new TextEncoder()
const utf8 = (text) => ENCODER.encode(text)
/** The bytes of hexadecimal digits. */
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16))
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const isSame = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at])

/** RFC 6962 §2.1: a leaf begins with a byte 0, a node with a byte 1. */
const leafHash = (text, { sha256 }) => sha256(utf8(`\0${text}`))
const nodeHash = (left, right, { sha256 }) => sha256(bytesOf(`01${left}${right}`))

const isOdd = (number) => number % 2 === 1
const half = (number) => Math.floor(number / 2)

/** RFC 9162 §2.1.3.2. */
export function isIncluded({ leaf, index, size, path, root }, crypto) {
  if (index >= size) return false
  let [at, last, hash] = [index, size - 1, leaf]
  for (const beside of path) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      hash = nodeHash(beside, hash, crypto)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hash, beside, crypto)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && hash === root
}

/** RFC 9162 §2.1.4.2. */
export function isConsistent({ old, oldRoot, size, root, path }, crypto) {
  if (old === size) return path.length === 0 && oldRoot === root
  if (old < 1 || old > size || path.length === 0) return false
  let [at, last] = [old - 1, size - 1]
  while (isOdd(at)) [at, last] = [half(at), half(last)]
  const [first, ...others] = at === 0 ? [oldRoot, ...path] : path
  let [oldHash, hash] = [first, first]
  for (const beside of others) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      oldHash = nodeHash(beside, oldHash, crypto)
      hash = nodeHash(beside, hash, crypto)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hash, beside, crypto)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && oldHash === oldRoot && hash === root
}

/** Points of small order, and x = 0 with a sign: under such a key a signature says nothing, and libraries differ about it. */
const WEAK =
  /^(0100000000000000000000000000000000000000000000000000000000000000|0{64}|ecf{60}7f|26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05|c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a)$/
const PRIME = 2n ** 255n - 19n

/** A key is the canonical encoding of a point that is not of small order. */
const isKey = (publicKey) => {
  const bytes = bytesOf(publicKey)
  bytes[31] &= 127
  return !WEAK.test(hexOf(bytes)) && BigInt(`0x${hexOf(bytes.reverse())}`) < PRIME
}

/** Whether the key signed the text, in UTF-8. */
const isSigned = ({ publicKey, signature, text }, { isSignedBy }) => {
  if (!isKey(publicKey)) return false
  try {
    return isSignedBy(bytesOf(publicKey), bytesOf(signature), utf8(text))
  } catch {
    return false
  }
}

/** The path of the first member that is not as the shape says, or null. */
const misfit = (value, shape, path) => {
  if (shape === Number) return Number.isSafeInteger(value) && value >= 0 ? null : path
  if (shape === Boolean) return typeof value === 'boolean' ? null : path
  if (shape === TEXT) return typeof value === 'string' ? null : path
  if (shape instanceof RegExp) return typeof value === 'string' && shape.test(value) ? null : path
  if (shape === MAYBE) return value === null || typeof value === 'string' ? null : path
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return path
    return value.reduce((found, item, at) => found ?? misfit(item, shape[0], `${path}[${at}]`), null)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return path
  const names = [...new Set([...Object.keys(shape), ...Object.keys(value)])].sort()
  return names.reduce((found, name) => {
    const inside = path === '' ? name : `${path}.${name}`
    if (found !== null) return found
    return Object.hasOwn(shape, name) && Object.hasOwn(value, name) ? misfit(value[name], shape[name], inside) : inside
  }, null)
}

/** A tree head from a line of an anchor, in bytes; null for a line that is none. */
export const parseHead = (line) => {
  const value = parsedBytes(line)
  return value !== undefined && misfit(value, HEAD, '') === null ? value : null
}

/** The document, or null and the problem that keeps it from being read. */
const readProof = (read, problems) => {
  let bytes
  try {
    bytes = read('proof.json')
  } catch {
    problems.push('proof.json is missing.')
    return null
  }
  const proof = parsedBytes(bytes)
  if (proof === undefined) {
    problems.push('proof.json cannot be read: it is no JSON.')
    return null
  }
  const wrong = misfit(proof, SHAPE, '')
  if (wrong !== null)
    problems.push(`proof.json is not what an export writes: ${wrong || 'the whole'} is missing, unknown or of another form.`)
  else if (!isSame(utf8(canonical(proof)), bytes)) problems.push('proof.json was changed: it is not in canonical form.')
  if (wrong === null && proof.format !== FORMAT)
    problems.push(`proof.json is of another format, which needs its own verifier: ${proof.format}.`)
  return wrong === null ? proof : null
}

const checkKey = ({ key }, trusted, { problems, crypto }) => {
  if (key.algorithm !== 'Ed25519' || crypto.sha256(bytesOf(key.publicKey)) !== key.fingerprint)
    problems.push('The fingerprint in proof.json is not that of its key.')
  if (trusted !== null && trusted !== key.fingerprint)
    problems.push(`The export is signed by another key than yours: by ${key.fingerprint}, not by ${trusted}.`)
}

const isHeadOf = ({ statement, signature }, { key: { fingerprint, publicKey } }, crypto) =>
  statement.kind === HEAD_KIND && statement.log === fingerprint && isSigned({ publicKey, signature, text: canonical(statement) }, crypto)

const checkHead = (head, proof, { what, problems, crypto }) => {
  if (!isHeadOf(head, proof, crypto)) problems.push(`${what} is forged: the key of the log did not sign it.`)
}

const checkSignature = ({ signature, ...rest }, { problems, crypto }) => {
  if (!isSigned({ publicKey: rest.key.publicKey, signature, text: canonical(rest) }, crypto))
    problems.push('proof.json is not what the key of the log signed: something in it was changed, added or removed.')
}

const checkReport = (read, { report }, { problems, crypto }) => {
  try {
    if (crypto.sha256(read('report.html')) !== report.sha256) problems.push('report.html was changed after the export.')
  } catch {
    problems.push('report.html is missing.')
  }
}

const nameOf = ({ id, revision, type }) => `the event ${id} (${type}, revision ${revision})`

const checkEvent = ({ event, index, path }, { workspace, head, stream }, { problems, crypto }) => {
  const [data, meta] = [event.data, event.meta].map((text) => crypto.sha256(utf8(text)))
  const leaf = leafHash(canonical({ ...event, data, meta }), crypto)
  if (event.stream !== stream) problems.push(`Not of this contact but of another stream is ${nameOf(event)}: ${event.stream}.`)
  if (metaOf(event).workspaceId !== workspace.id) problems.push(`Of another workspace is ${nameOf(event)}.`)
  if (!isIncluded({ leaf, index, path, size: head.statement.size, root: head.statement.root }, crypto))
    problems.push(`Not in the log as it was signed is ${nameOf(event)}: it was changed, or its proof is of another tree.`)
}

/** Revisions count from 0 without a hole, and the log has them in this order. */
const checkOrder = ({ contactId, events, revisions }, problems) => {
  let next = 0
  let last = -1
  for (const { event, index } of events) {
    if (event.revision < next)
      problems.push(`In the wrong place stands ${nameOf(event)} of contact ${contactId}: events were swapped or repeated.`)
    if (event.revision > next)
      problems.push(`Missing from the history of contact ${contactId}: what was before ${nameOf(event)}, from revision ${next}.`)
    if (index <= last) problems.push(`Not where the log has it is ${nameOf(event)} of contact ${contactId}: events were swapped.`)
    next = Math.max(next, event.revision + 1)
    last = Math.max(last, index)
  }
  if (next !== revisions)
    problems.push(
      `The end of the history of contact ${contactId} is missing or was added to: it has ${revisions} events, the export shows ${next}.`,
    )
}

/** The texts among the members of an object in an event; what else is in it plays no part. */
const parsed = (text) => {
  const value = parsedText(text, false)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member === 'string'))
}
const metaOf = ({ meta }) => parsed(meta)

const actorOf = (actor) => {
  if (actor === null) return null
  if (actor.startsWith('key:')) return `api_${actor}`
  return actor === 'recipient' ? 'contact' : actor
}

/** What one command wrote has these in common. */
const isOfOneCommand = (one, other) => ['requestId', 'causationId', 'at'].every((name) => one[name] === other[name])

/** What the sealed events say about consent, without what is encrypted in them. The first of a channel has no state before it where the contact was created with it. */
export const consentsIn = (events) => {
  const created = events.find(({ event }) => event.type === 'ContactCreated')
  const creation = created === undefined ? null : metaOf(created.event)
  const spoken = new Set()
  const consents = []
  for (const { event } of events) {
    if (event.type !== 'ContactConsentRecorded') continue
    const meta = metaOf(event)
    const { channel = null, from = null, givenAt = null, source = null, to = null } = parsed(event.data)
    const isFirst = !spoken.has(channel)
    spoken.add(channel)
    const isBorn = isFirst && creation !== null && isOfOneCommand(creation, meta)
    const { actor = null, at = null, requestId = null } = meta
    // A statement that was recorded later than it was given says when that was.
    const when = givenAt ?? at
    consents.push({ actor: actorOf(actor), at: when, channel, from: isBorn ? null : from, requestId, revision: event.revision, source, to })
  }
  return consents
}

const checkConsents = ({ contactId, consents, events }, problems) => {
  const shown = new Map(consents.map(({ ip, userAgent, ...consent }) => [consent.revision, consent]))
  for (const consent of consentsIn(events)) {
    const said = shown.get(consent.revision)
    const what = `the consent of contact ${contactId} at ${consent.at} (${consent.channel} ${consent.to}, revision ${consent.revision})`
    if (said === undefined) problems.push(`Missing from the readable part is ${what}.`)
    else if (canonical(said) !== canonical(consent)) problems.push(`Shown otherwise than the log has it is ${what}.`)
    shown.delete(consent.revision)
  }
  for (const revision of shown.keys())
    problems.push(`The readable part shows a consent of contact ${contactId} that the log does not have: revision ${revision}.`)
  if (new Set(consents.map(({ revision }) => revision)).size !== consents.length)
    problems.push(`The readable part shows a consent of contact ${contactId} twice.`)
}

const checkContacts = (proof, check) => {
  const { problems } = check
  const seen = new Set()
  for (const contact of proof.contacts) {
    if (seen.has(contact.contactId)) problems.push(`The export has contact ${contact.contactId} twice.`)
    seen.add(contact.contactId)
    const stream = `contact-${proof.workspace.id}-${contact.contactId}`
    for (const entry of contact.events) checkEvent(entry, { ...proof, stream }, check)
    checkOrder(contact, problems)
    checkConsents(contact, problems)
  }
}

const checkEarlierHeads = (proof, { problems, crypto }) => {
  const { size, root } = proof.head.statement
  for (const { head, path } of proof.earlierHeads) {
    const what = `The earlier tree head of ${head.statement.size} events`
    checkHead(head, proof, { what, problems, crypto })
    if (!isConsistent({ old: head.statement.size, oldRoot: head.statement.root, size, root, path }, crypto))
      problems.push(`${what} is of another history: the log was rewritten after it, or the proof was.`)
  }
}

const CARRIAGE_RETURN = 13

/** Whether a line is the beginning of one that a crash has cut off. */
export const isTorn = (line) => (line.startsWith(LINE) || LINE.startsWith(line)) && !line.endsWith('}}')

const LATIN1 = new TextDecoder('latin1')

/** The lines of an anchor, in bytes. */
const linesOf = (readAnchor, { problems, notes }) => {
  let bytes
  try {
    bytes = readAnchor()
  } catch {
    problems.push('The anchor cannot be read.')
    return []
  }
  const lines = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from)
    lines.push(bytes.subarray(from, end < 0 ? bytes.length : end))
    from = end < 0 ? bytes.length : end + 1
    if (end < 0)
      problems.push(
        'The last line of the anchor is damaged: it has no end. A copy that was cut off shows less than the anchor has: get it anew.',
      )
  }
  if (lines.some((line) => line.at(-1) === CARRIAGE_RETURN))
    notes.push('The anchor has line ends of another system (CR LF): its copy was converted, and is read as if it were not.')
  return lines.map((line) => (line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line))
}

/** Where the anchor is honest, the export is another's. */
const strangeHead = (number) =>
  `The tree head in line ${number} of the anchor was not signed by the key of this export: the export was signed with another key than that of the log, or the line is not of this log.`

/** The heads of an anchor that the key of the log signed. `known`: those of the export by size, whose signatures are checked already. */
const anchoredHeads = (readAnchor, proof, { known, problems, notes, crypto }) => {
  const lines = linesOf(readAnchor, { problems, notes })
  const heads = []
  const last = lines.findLastIndex((line) => line.length > 0)
  const torn = []
  for (const [at, line] of lines.entries()) {
    if (line.length === 0) continue
    const head = parseHead(line)
    if (head === null) {
      const isLeft = at < last && isTorn(LATIN1.decode(line))
      if (isLeft) torn.push(`Line ${at + 1} of the anchor was torn by a crash while it was written: it is not counted.`)
      else problems.push(`Line ${at + 1} of the anchor is no tree head.`)
      continue
    }
    const same = known.get(head.statement.size)
    const isKnown = same !== undefined && canonical(same) === canonical(head)
    if (isKnown || isHeadOf(head, proof, crypto)) heads.push(head)
    else problems.push(strangeHead(at + 1))
  }
  notes.push(...firstOf(torn))
  if (heads.length === 0 && problems.length === 0) problems.push('The anchor has no tree head.')
  return heads
}

const bySize = (one, other) => one.statement.size - other.statement.size
const bySizeAndTime = (one, other) => bySize(one, other) || (one.statement.at < other.statement.at ? -1 : 1)
const MADE_ANEW = 'Have an export made with this copy (consent export --anchor), and verify again.'

/** A head that is beyond the tree of the export cannot be shown to continue it: it may be of the history that the export hides. */
const checkBeyond = (heads, { statement: { at, size } }, problems) => {
  const beyond = heads.filter(({ statement }) => statement.size > size).sort(bySize)
  const before = beyond.find(({ statement }) => statement.at < at)
  if (before !== undefined)
    problems.push(
      `The anchor has a tree head of ${before.statement.size} events from ${before.statement.at}, and the later one of this export (${at}) has ${size}: the log was cut, or this is another history.`,
    )
  else if (beyond.length > 0)
    problems.push(
      `The anchor has a tree head of ${beyond[0].statement.size} events (${beyond[0].statement.at}), and the export ${size}: whether this history is the one that went on there cannot be seen. ${MADE_ANEW}`,
    )
}

/** Every head of the anchor up to the size of the export must be in the export, which shows that its tree continues it. */
const checkLeftOut = (heads, known, problems) => {
  const sizes = [...new Set(heads.map(({ statement }) => statement.size))].sort((one, other) => one - other)
  const missing = sizes.filter((size) => !known.has(size))
  if (sizes.length > 0 && missing.at(-1) === sizes.at(-1))
    problems.push(
      `The export leaves out the newest tree head of the anchor before its own, that of ${missing.pop()} events: the log was rewritten after it, or this copy of the anchor is older than the export. ${MADE_ANEW}`,
    )
  if (missing.length > 0)
    problems.push(
      `The export leaves out ${missing.length} older tree ${missing.length === 1 ? 'head' : 'heads'} of the anchor, from that of ${missing[0]} events on: the log may have been rewritten after them. ${MADE_ANEW}`,
    )
}

const checkRoots = (heads, known, problems) => {
  const roots = new Map()
  for (const { statement } of heads) {
    const { size, root } = statement
    if (known.has(size) && known.get(size).statement.root !== root)
      problems.push(`The anchor has another root for the tree of ${size} events: one of the two histories is forged.`)
    else if (roots.has(size) && roots.get(size) !== root)
      problems.push(`The anchor has two roots for the tree of ${size} events: the log was forked.`)
    roots.set(size, root)
  }
}

const spanOf = (millis) => {
  const seconds = Math.floor(millis / 1_000)
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}

/** Milliseconds from a fixed day on, also of a day that its month does not have. */
const millisOf = (time) => {
  const [year, month, day, hour, minute, second, milli] = time.match(/[0-9]+/g).map(Number)
  const years = month <= 2 ? year - 1 : year
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const days = 365 * years + leapDays + Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + milli
}

/** How far the anchor says when something was recorded, and where it is silent. */
const noteGaps = (heads, proof, notes) => {
  const [first, last] = [heads[0], heads.at(-1)]
  if (first === undefined) return
  const isLast = ({ statement }) => statement.size === proof.head.statement.size
  const ends = isLast(last) ? heads : [...heads, proof.head]
  let widest = null
  for (const [n, { statement }] of ends.entries()) {
    const before = ends[n - 1]?.statement
    const width = before === undefined ? 0 : Math.max(0, millisOf(statement.at) - millisOf(before.at))
    if (before !== undefined && (widest === null || width > widest.width)) widest = { width, before, after: statement }
  }
  if (widest !== null)
    notes.push(
      `The widest gap of the anchor is ${spanOf(widest.width)}, from its tree head of ${widest.before.size} events (${widest.before.at}) to the next, of ${widest.after.size} events (${widest.after.at}): when something was recorded inside a gap is what the signer says.`,
    )
  const indices = proof.contacts.flatMap(({ events }) => events.map(({ index }) => index))
  const older = indices.filter((index) => index < first.statement.size).length
  const newer = indices.filter((index) => index >= last.statement.size).length
  if (older > 0)
    notes.push(
      `${older} of the events are older than the first tree head of the anchor (${first.statement.at}): how much older is what the signer says.`,
    )
  if (newer > 0)
    notes.push(
      `${newer} of the events are newer than the last tree head of the anchor (${last.statement.at}): until one is anchored that has them, who has the key can write them anew.`,
    )
}

/** Compares every head that was kept outside with the export; answers those heads. */
const checkAnchor = (readAnchor, proof, { known, problems, notes, crypto }) => {
  const ofLines = []
  const heads = anchoredHeads(readAnchor, proof, { known, problems: ofLines, notes, crypto })
  checkRoots(heads, known, problems)
  for (const problem of ofLines) problems.push(problem)
  const within = heads.filter(({ statement }) => statement.size <= proof.head.statement.size).sort(bySize)
  checkLeftOut(within, known, problems)
  checkBeyond(heads, proof.head, problems)
  const met = new Set(within.map(({ statement }) => statement.size).filter((size) => known.has(size))).size
  notes.push(
    `${met} of the tree heads in the export are in the anchor${met === 0 ? ': it neither confirms nor contradicts this export' : ''}.`,
  )
  noteGaps(within, proof, notes)
  return heads
}

/** A head of more events is not older than one of fewer. */
const checkHeadTimes = (heads, { exportedAt, head }, problems) => {
  let newest = null
  for (const { statement } of heads) {
    if (newest !== null && statement.size > newest.size && statement.at < newest.at)
      problems.push(
        `The tree head of ${statement.size} events is dated ${statement.at}, before that of ${newest.size} events (${newest.at}): it was backdated.`,
      )
    if (newest === null || statement.at > newest.at) newest = statement
  }
  if (exportedAt < head.statement.at)
    problems.push(`The export is dated ${exportedAt}, before its own tree head (${head.statement.at}): it was backdated.`)
}

/** Recording times never go back along the log; what a head does not hold was not recorded before it, and what it holds not after. */
const checkTimes = (heads, proof, problems) => {
  const entries = proof.contacts.flatMap(({ events }) => events).sort((one, other) => one.index - other.index)
  let latest = null
  let [next, dated] = [0, null]
  for (const { event, index } of entries) {
    for (; next < heads.length && heads[next].statement.size <= index; next++)
      if (dated === null || heads[next].statement.at > dated.at) dated = heads[next].statement
    if (dated !== null && event.created < dated.at)
      problems.push(
        `Dated ${event.created} is ${nameOf(event)}, which the tree head of ${dated.size} events (${dated.at}) does not have yet: it was backdated.`,
      )
    else if (latest !== null && event.created < latest)
      problems.push(
        `Dated ${event.created} is ${nameOf(event)}, which the log has behind what was recorded at ${latest}: it was backdated.`,
      )
    const holding = heads[next]?.statement
    if (holding !== undefined && event.created > holding.at)
      problems.push(
        `Dated ${event.created} is ${nameOf(event)}, which the tree head of ${holding.size} events (${holding.at}) has already: it was dated ahead.`,
      )
    if (latest === null || event.created > latest) latest = event.created
  }
}

/** Longer than clocks differ and requests take. */
const SAID_LATER = 300_000

/** A consent may be recorded long after it was given, as by an import: when it was given is then the word of who recorded it. */
const noteOtherTimes = ({ contacts }, notes) => {
  let [count, first] = [0, '']
  for (const { contactId, events } of contacts) {
    const recorded = new Map(events.map(({ event }) => [event.revision, event.created]))
    for (const { at, revision } of consentsIn(events)) {
      const created = recorded.get(revision)
      if (at !== null && TIME.test(at) && Math.abs(millisOf(created) - millisOf(at)) <= SAID_LATER) continue
      if (count === 0) first = `revision ${revision} of contact ${contactId}, dated ${at} and recorded at ${created}`
      count += 1
    }
  }
  if (count > 0)
    notes.push(
      `${count} of the consents are dated otherwise than they were recorded, the first is ${first}. What is proven is when it was recorded.`,
    )
}

/** The export proves nothing about a contact of which it shows nothing. */
const noteSilent = ({ contacts }, notes) => {
  const silent = contacts.filter(({ events }) => events.length === 0)
  if (contacts.length === 0) notes.push('The export shows no contact.')
  if (silent.length > 0)
    notes.push(
      `${silent.length} of the contacts have no event, the first is ${silent[0].contactId}: that the log has none is what the signer says.`,
    )
}

const NO_ANCHOR =
  'No anchor was given: who has the key of the log can write a history anew, date it back and sign it, and this folder cannot show whether that was done. Verify again with --anchor and a copy of the anchor.'

/** Answers whether the anchor has a head of this history. */
const checkWhen = (proof, readAnchor, check) => {
  const known = new Map([...proof.earlierHeads.map(({ head }) => head), proof.head].map((head) => [head.statement.size, head]))
  const anchored = readAnchor === null ? [] : checkAnchor(readAnchor, proof, { ...check, known })
  const { size } = proof.head.statement
  const heads = [...known.values(), ...anchored].filter(({ statement }) => statement.size <= size).sort(bySizeAndTime)
  checkHeadTimes(heads, proof, check.problems)
  checkTimes(heads, proof, check.problems)
  return anchored.some(({ statement }) => known.has(statement.size))
}

/** How much was checked, until when the log reaches, and which key signed it. */
const checkedOf = ({ contacts, head, key }) => ({
  contacts: contacts.length,
  consents: contacts.reduce((sum, { consents }) => sum + consents.length, 0),
  events: contacts.reduce((sum, { events }) => sum + events.length, 0),
  logSize: head.statement.size,
  until: head.statement.at,
  key: key.fingerprint,
})

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The first line that is printed. */
export const headline = ({ ok, keyChecked, checked }) => {
  if (!ok || checked === null) return 'WRONG'
  const { contacts, consents, events, logSize, until, key } = checked
  const what = `${counted(contacts, 'contact')}, ${counted(consents, 'consent')} and ${counted(events, 'event')}`
  const signed = `${what}, of a log of ${counted(logSize, 'event')} until ${until}, signed by the key ${key}`
  if (keyChecked) return `OK: ${signed}, which is the one you trust.`
  return `OK, consistency only: ${signed}. Nothing says that this is the key of the log: anyone can make such a folder with another.`
}

/**
 * The result as `--json` prints it. `read` answers a file of the export by its name, in bytes, and throws where there is none. `trusted`: the
 * fingerprint of the key that the log must have, `readAnchor`: answers the bytes of the anchor; null where none was given. `crypto`: `sha256` of bytes
 * in hexadecimal digits, and `isSignedBy(publicKey, signature, message)`, all in bytes: Ed25519 by RFC 8032, without the cofactor.
 */
export function verifyProof(read, { trusted, readAnchor }, crypto) {
  const problems = []
  const notes = []
  let isAnchored = false
  const proof = readProof(read, problems)
  if (proof !== null) {
    const check = { problems, notes, crypto }
    checkKey(proof, trusted, check)
    checkSignature(proof, check)
    checkHead(proof.head, proof, { ...check, what: 'The tree head' })
    checkReport(read, proof, check)
    checkContacts(proof, check)
    checkEarlierHeads(proof, check)
    isAnchored = checkWhen(proof, readAnchor, check)
    if (trusted === null && !isAnchored)
      notes.push(
        `Only consistency was checked: anyone can sign such a folder with a key of their own. Compare ${proof.key.fingerprint} with what the operator of the log says, and verify again with --key.`,
      )
    notes.push(
      'What is proven is in proof.json: report.html shows it for people, and is as its signer wrote it. Where they differ, proof.json is right.',
    )
    notes.push(
      'Addresses (ip) and user agents are encrypted in the log: what is shown of them is what the signer says, not what the tree proves.',
    )
    notes.push(
      'Each history has every number from 0 on, once. The signer gave the numbers: that no other event has one of them, that none followed before the tree head was signed, and that no contact is left out, is what the signer says.',
    )
    noteSilent(proof, notes)
    noteOtherTimes(proof, notes)
    if (readAnchor === null) notes.push(NO_ANCHOR)
  }
  const keyChecked = proof !== null && (trusted === proof.key.fingerprint || (trusted === null && isAnchored && problems.length === 0))
  const checked = proof === null ? null : checkedOf(proof)
  return { ok: problems.length === 0, problems: firstOf(problems).map(shownSafely), keyChecked, checked, notes: notes.map(shownSafely) }
}

/** The exit of a verifier. */
export const exitOf = ({ ok, keyChecked }) => {
  if (!ok) return 1
  return keyChecked ? 0 : 3
}
