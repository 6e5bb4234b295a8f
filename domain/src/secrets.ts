import { eventDeclarations } from './declarations.ts'

/** Stands where a secret is: that it exists is shown, what it is not (M61). */
export const HIDDEN_SECRET = '(secret)'

type Data = Readonly<Record<string, unknown>>

/**
 * The token of a link of ours, as `sealToken` of packages/mail-content makes it: in base64url, its first byte 1 or 2, and two UUIDs behind it at
 * least. Its holder confirms, verifies or unsubscribes in the recipient's place. A value that is merged into another address is percent-encoded,
 * and in an attribute without quotes its `=` is an entity (M52).
 */
const TOKEN = /((?:\?|%(?:25)*3[Ff])t(?:=|%(?:25)*3[Dd]|&#61;))A[Q-Za-v][\w-]{65,}/g

/** No shorter text has one. */
const SHORTEST_TOKEN = 67

/** Types whose `url` a receiver may take for proof of who calls. */
const ENDPOINTS = /^WebhookEndpoint/

/**
 * The data of an opened event as people and their programs get it: without what it declares as `secret`, and without tokens of our links in anything
 * that was encrypted. A secret that is null, as after an erasure, stays null.
 */
export function withoutSecrets(type: string, data: object): object {
  const { fields = [], secret = [] } = eventDeclarations[type]?.personal ?? {}
  let shown = data as Data
  for (const field of fields) {
    const value = shown[field]
    if (value === null || value === undefined) continue
    const safe = secret.includes(field) ? HIDDEN_SECRET : shownOf(type, field, value)
    if (safe !== value) shown = { ...shown, [field]: safe }
  }
  return shown
}

const shownOf = (type: string, field: string, value: unknown): unknown =>
  ENDPOINTS.test(type) && field === 'url' ? originOf(String(value)) : withoutLinkTokens(value)

/** The same value, where no text in it has a token of our links. */
export function withoutLinkTokens<Value>(value: Value): Value
export function withoutLinkTokens(value: unknown): unknown {
  if (typeof value === 'string') return value.length < SHORTEST_TOKEN ? value : value.replace(TOKEN, `$1${HIDDEN_SECRET}`)
  if (typeof value !== 'object' || value === null) return value
  // Each value is looked at once: what a workspace reports may be nested deeply.
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutLinkTokens(item))
    return items.every((item, n) => item === value[n]) ? value : items
  }
  const entries = Object.entries(value)
  const safe = entries.map(([name, inner]) => [name, withoutLinkTokens(inner)] as const)
  return safe.every(([, inner], n) => inner === entries[n]?.[1]) ? value : Object.fromEntries(safe)
}

/** The rest of an address may be all that a receiver asks for. */
function originOf(url: string): string {
  const at = URL.parse(url)
  if (at === null) return HIDDEN_SECRET
  return at.pathname === '/' && at.search === '' ? at.origin : `${at.origin}/${HIDDEN_SECRET}`
}
