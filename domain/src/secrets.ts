import { eventDeclarations } from './declarations.ts'

/** Stands where a secret is: that it exists is shown, what it is not (M61). */
export const HIDDEN_SECRET = '(secret)'

type Data = Readonly<Record<string, unknown>>

/** The secret of a link of ours: its holder confirms, verifies or unsubscribes in the recipient's place. */
const TOKEN = /(\/(?:u|c|o\.gif|verify|forms\/confirm)\?t=)[\w.~-]{8,}/g
/** Types of events that hold the text of a mail and the fields of its template. */
const CONTENTS = new Set(['EmailAccepted'])
/** Types whose `url` a receiver may take for proof of who calls. */
const ENDPOINTS = /^WebhookEndpoint/

/** The data of an opened event as people and their programs get it. A secret that is null, as after an erasure, stays null. */
export function withoutSecrets(type: string, data: object): object {
  const shown = withoutCapabilities(type, data as Data)
  const secrets = eventDeclarations[type]?.personal?.secret ?? []
  const there = secrets.filter((field) => shown[field] !== null && shown[field] !== undefined)
  if (there.length === 0) return shown
  return { ...shown, ...Object.fromEntries(there.map((field) => [field, HIDDEN_SECRET])) }
}

function withoutCapabilities(type: string, data: Data): Data {
  if (CONTENTS.has(type) && data.content !== null && data.content !== undefined) return { ...data, content: withoutTokens(data.content) }
  if (ENDPOINTS.test(type) && typeof data.url === 'string') return { ...data, url: originOf(data.url) }
  return data
}

function withoutTokens(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(TOKEN, `$1${HIDDEN_SECRET}`)
  if (Array.isArray(value)) return value.map(withoutTokens)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withoutTokens(held)]))
}

/** The rest of an address may be all that a receiver asks for. */
function originOf(url: string): string {
  const at = URL.parse(url)
  if (at === null) return HIDDEN_SECRET
  return at.pathname === '/' && at.search === '' ? at.origin : `${at.origin}/${HIDDEN_SECRET}`
}
