#!/usr/bin/env node
// Verifies a folder that `tidings consent export` wrote: needs Node.js 18 or later, and nothing else.
//
//   node verify.mjs [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]
//
// DIR is by default the folder of this file. FINGERPRINT says whose log it must be: ask its operator by another way than the one by which you
// got the folder (`tidings doctor` prints it, /.well-known/tidings-log-key serves it). FILE is a copy of the file into which tree heads were
// anchored. Exit 0: nothing is wrong. Exit 1: something is, each named in a sentence. Exit 2: wrong usage.
//
// Formats: RFC 8785 (canonical JSON), RFC 6962 and RFC 9162 (Merkle tree, proofs), RFC 8032 (Ed25519), SHA-256. verify.py does the same.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FORMAT = 'tidings consent proof v1'
const HEAD_KIND = 'tidings tree head v1'
/** How a line of an anchor begins. */
const LINE = '{"signature":"'

const HASH = /^[0-9a-f]{64}$/
const SIGNATURE = /^[0-9a-f]{128}$/
const TEXT = String
const MAYBE = [null, String]
const HEAD = { signature: SIGNATURE, statement: { at: TEXT, kind: TEXT, log: HASH, root: HASH, size: Number } }
const CONSENT = {
  ...{ actor: TEXT, at: TEXT, channel: TEXT, from: MAYBE, ip: MAYBE, requestId: TEXT, revision: Number, source: TEXT, to: TEXT },
  userAgent: MAYBE,
}
const EVENT = { created: TEXT, data: TEXT, id: TEXT, meta: TEXT, revision: Number, stream: TEXT, type: TEXT }
const SHAPE = {
  contacts: [
    { consents: [CONSENT], contactId: TEXT, erased: Boolean, events: [{ event: EVENT, index: Number, path: [HASH] }], revisions: Number },
  ],
  earlierHeads: [{ head: HEAD, path: [HASH] }],
  exportedAt: TEXT,
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

const sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)
const nodeHash = (left, right) => sha256(NODE, Buffer.from(left, 'hex'), Buffer.from(right, 'hex'))

const isOdd = (number) => number % 2 === 1
const half = (number) => Math.floor(number / 2)

/** RFC 9162 §2.1.3.2. */
export function isIncluded({ leaf, index, size, path, root }) {
  if (index >= size) return false
  let [at, last, hash] = [index, size - 1, leaf]
  for (const beside of path) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      hash = nodeHash(beside, hash)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hash, beside)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && hash === root
}

/** RFC 9162 §2.1.4.2. */
export function isConsistent({ old, oldRoot, size, root, path }) {
  if (old === size) return path.length === 0 && oldRoot === root
  if (old < 1 || old > size || path.length === 0) return false
  let [at, last] = [old - 1, size - 1]
  while (isOdd(at)) [at, last] = [half(at), half(last)]
  const [first, ...others] = at === 0 ? [oldRoot, ...path] : path
  let [oldHash, hash] = [first, first]
  for (const beside of others) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      oldHash = nodeHash(beside, oldHash)
      hash = nodeHash(beside, hash)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hash, beside)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && oldHash === oldRoot && hash === root
}

const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

const isSigned = (publicKey, signature, text) => {
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(publicKey, 'hex')]), format: 'der', type: 'spki' })
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'))
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

/** The document, or null and the problem that keeps it from being read. */
const readProof = (directory, problems) => {
  let bytes
  let proof
  try {
    bytes = readFileSync(join(directory, 'proof.json'))
    proof = JSON.parse(bytes.toString('utf8'))
  } catch {
    problems.push(bytes === undefined ? 'proof.json is missing.' : 'proof.json cannot be read: it is no JSON.')
    return null
  }
  const wrong = misfit(proof, SHAPE, '')
  if (wrong !== null)
    problems.push(`proof.json is not what an export writes: ${wrong || 'the whole'} is missing, unknown or of another form.`)
  else if (!Buffer.from(canonical(proof)).equals(bytes)) problems.push('proof.json was changed: it is not in canonical form.')
  if (wrong === null && proof.format !== FORMAT)
    problems.push(`proof.json is of another format, which needs its own verifier: ${proof.format}.`)
  return wrong === null ? proof : null
}

const checkKey = ({ key }, trusted, problems) => {
  if (key.algorithm !== 'Ed25519' || sha256(Buffer.from(key.publicKey, 'hex')) !== key.fingerprint)
    problems.push('The fingerprint in proof.json is not that of its key.')
  if (trusted !== null && trusted !== key.fingerprint)
    problems.push(`The export is signed by another key than yours: by ${key.fingerprint}, not by ${trusted}.`)
}

const checkHead = ({ statement, signature }, { key }, what, problems) => {
  const isOurs = statement.kind === HEAD_KIND && statement.log === key.fingerprint
  if (!isOurs || !isSigned(key.publicKey, signature, canonical(statement)))
    problems.push(`${what} is forged: the key of the log did not sign it.`)
}

const checkSignature = ({ signature, ...rest }, problems) => {
  if (!isSigned(rest.key.publicKey, signature, canonical(rest)))
    problems.push('proof.json is not what the key of the log signed: something in it was changed, added or removed.')
}

const checkReport = (directory, { report }, problems) => {
  try {
    if (sha256(readFileSync(join(directory, 'report.html'))) !== report.sha256) problems.push('report.html was changed after the export.')
  } catch {
    problems.push('report.html is missing.')
  }
}

const nameOf = ({ id, revision, type }) => `the event ${id} (${type}, revision ${revision})`

const checkEvent = ({ event, index, path }, { workspace, head, stream }, problems) => {
  const leaf = sha256(LEAF, canonical({ ...event, data: sha256(event.data), meta: sha256(event.meta) }))
  if (event.stream !== stream) problems.push(`Not of this contact but of another stream is ${nameOf(event)}: ${event.stream}.`)
  if (metaOf(event).workspaceId !== workspace.id) problems.push(`Of another workspace is ${nameOf(event)}.`)
  if (!isIncluded({ leaf, index, path, size: head.statement.size, root: head.statement.root }))
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

const parsed = (text) => {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
const metaOf = ({ meta }) => parsed(meta)

const actorOf = (actor) => {
  if (typeof actor === 'string' && actor.startsWith('key:')) return `api_${actor}`
  return actor === 'recipient' ? 'contact' : actor
}

/** What one command wrote has these in common. */
const isOfOneCommand = (one, other) =>
  ['requestId', 'causationId', 'at'].every((name) => JSON.stringify(one[name] ?? null) === JSON.stringify(other[name] ?? null))

/** What the sealed events say about consent, without what is encrypted in them. The first of a channel has no state before it where the contact was created with it. */
export const consentsIn = (events) => {
  const created = events.find(({ event }) => event.type === 'ContactCreated')
  const creation = created === undefined ? null : metaOf(created.event)
  const spoken = new Set()
  const consents = []
  for (const { event } of events) {
    if (event.type !== 'ContactConsentRecorded') continue
    const meta = metaOf(event)
    const { channel, from, source, to } = parsed(event.data)
    const isFirst = !spoken.has(channel)
    spoken.add(channel)
    const isBorn = isFirst && creation !== null && isOfOneCommand(creation, meta)
    const { at, requestId } = meta
    consents.push({ actor: actorOf(meta.actor), at, channel, from: isBorn ? null : from, requestId, revision: event.revision, source, to })
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

const checkContacts = (proof, problems) => {
  const seen = new Set()
  for (const contact of proof.contacts) {
    if (seen.has(contact.contactId)) problems.push(`The export has contact ${contact.contactId} twice.`)
    seen.add(contact.contactId)
    const stream = `contact-${proof.workspace.id}-${contact.contactId}`
    for (const entry of contact.events) checkEvent(entry, { ...proof, stream }, problems)
    checkOrder(contact, problems)
    checkConsents(contact, problems)
  }
}

const checkEarlierHeads = (proof, problems) => {
  const { size, root } = proof.head.statement
  for (const { head, path } of proof.earlierHeads) {
    const what = `The earlier tree head of ${head.statement.size} events`
    checkHead(head, proof, what, problems)
    if (!isConsistent({ old: head.statement.size, oldRoot: head.statement.root, size, root, path }))
      problems.push(`${what} is of another history: the log was rewritten after it, or the proof was.`)
  }
}

/** The lines of an anchor: what follows the last newline is being written, or was torn by a crash, and was never counted as kept. */
const linesOf = (file, problems) => {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    problems.push('The anchor cannot be read.')
    return null
  }
}

/** The beginning of a line that a crash has cut off. */
export const isTorn = (line) => (line.startsWith(LINE) || LINE.startsWith(line)) && !line.endsWith('}}')

/** Compares the heads of the export with those that were kept outside. */
const checkAnchor = (file, proof, problems, notes) => {
  const lines = linesOf(file, problems)
  if (lines === null) return
  const known = new Map(
    [proof.head, ...proof.earlierHeads.map(({ head }) => head)].map(({ statement }) => [statement.size, statement.root]),
  )
  let met = 0
  let newest = 0
  for (const [at, line] of lines.entries()) {
    if (line === '') continue
    const head = parsed(line)
    if (misfit(head, HEAD, '') !== null) {
      if (isTorn(line)) notes.push(`Line ${at + 1} of the anchor was torn by a crash while it was written: it is not counted.`)
      else problems.push(`Line ${at + 1} of the anchor is no tree head.`)
      continue
    }
    const { size, root } = head.statement
    checkHead(head, proof, `The tree head in line ${at + 1} of the anchor`, problems)
    if (size <= proof.head.statement.size) newest = Math.max(newest, size)
    if (!known.has(size)) continue
    met += 1
    if (known.get(size) !== root)
      problems.push(`The anchor has another root for the tree of ${size} events: one of the two histories is forged.`)
  }
  if (newest > 0 && !known.has(newest))
    problems.push(
      `The export leaves out the newest tree head of the anchor before its own, that of ${newest} events: the log was rewritten after it, or this copy of the anchor is older than the export. Have an export made with this copy (consent export --anchor), and verify again.`,
    )
  notes.push(
    `${met} of the tree heads in the export are in the anchor${met === 0 ? ': it neither confirms nor contradicts this export' : ''}.`,
  )
}

/** The result as `--json` prints it. `trusted`: the fingerprint of the key that the log must have, `anchor`: a file; null where none was given. */
export function verifyFolder(directory, { trusted = null, anchor = null } = {}) {
  const problems = []
  const notes = []
  const proof = readProof(directory, problems)
  if (proof !== null) {
    checkKey(proof, trusted, problems)
    checkSignature(proof, problems)
    checkHead(proof.head, proof, 'The tree head', problems)
    checkReport(directory, proof, problems)
    checkContacts(proof, problems)
    checkEarlierHeads(proof, problems)
    if (anchor !== null) checkAnchor(anchor, proof, problems, notes)
    if (trusted === null)
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
      'Each history is complete from its first event to the last one shown; that none followed before the tree head was signed is what the signer says.',
    )
  }
  return { ok: problems.length === 0, problems, keyChecked: proof !== null && trusted === proof.key.fingerprint, notes }
}

const usage = (sentence) => {
  process.stderr.write(`${sentence}\nUsage: node verify.mjs [DIR] [--key FINGERPRINT] [--anchor FILE] [--json]\n`)
  process.exit(2)
}

const optionsOf = (words) => {
  const options = { json: false, key: null, anchor: null, directory: null }
  const rest = [...words]
  while (rest.length > 0) {
    const word = rest.shift()
    if (word === '--json') options.json = true
    else if ((word === '--key' || word === '--anchor') && rest.length > 0) options[word.slice(2)] = rest.shift()
    else if (word.startsWith('-') || options.directory !== null) usage(`What is ${word}?`)
    else options.directory = word
  }
  return options
}

const main = (words) => {
  const options = optionsOf(words)
  const trusted = options.key?.toLowerCase() ?? null
  if (trusted !== null && !HASH.test(trusted)) usage('A fingerprint has 64 hexadecimal digits.')
  const result = verifyFolder(options.directory ?? dirname(fileURLToPath(import.meta.url)), { trusted, anchor: options.anchor })
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  else
    process.stdout.write(
      `${[result.ok ? 'OK' : 'WRONG', ...result.problems.map((problem) => `- ${problem}`), ...result.notes].join('\n')}\n`,
    )
  process.exitCode = result.ok ? 0 : 1
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
