import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AckedSend, type Cell, type Ledger, type OwnContact, ownContact } from './kill-service.ledger.ts'

export type Api = Readonly<{ url: string; slug: string; key: string }>
export type Answered = Readonly<{ status: number; data: Readonly<Record<string, unknown>> }>

type CallOptions = Readonly<{ body?: unknown; key?: string }>

/** Null when no answer came: whether it happened is not known. `key`: an Idempotency-Key. */
export async function ask(api: Api, route: `${string} /${string}`, { body, key }: CallOptions = {}): Promise<Answered | null> {
  const [method = '', path] = route.split(' ')
  const headers = {
    'X-Sender-Tenant': api.slug,
    'X-API-Key': api.key,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  }
  try {
    const response = await fetch(`${api.url}/api/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data?: Record<string, unknown> }
    return { status: response.status, data: answer.data ?? {} }
  } catch {
    return null
  }
}

/** `thinkMs`: between two requests. */
export type Client = Readonly<{ api: Api; ledger: Ledger; name: string; signal: AbortSignal; thinkMs?: number | undefined }>

const CONTESTED = 12
/** A test that runs with all others leaves them most of a core. */
export const CALM_THINK_MS = 100
const THINK_MS = 25
/** A repeated request finds its key taken until the lease of the attempt that died has run out: 10 s. */
const KEYED_TIMEOUT_MS = 150_000

const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)]
const unknown = (answer: Answered | null): boolean => answer === null || answer.status >= 500

const note = ({ ledger }: Client, answer: Answered | null): void => {
  if (unknown(answer)) ledger.unanswered.count++
  else if (answer !== null && answer.status >= 400)
    ledger.refused.set(String(answer.status), (ledger.refused.get(String(answer.status)) ?? 0) + 1)
}

const emailTo = ({ slug }: Api, to: string, subject: string) => ({
  to,
  fromEmail: `hello@${slug}.example`,
  subject,
  html: `<p>${subject}</p>`,
})

const noteSend = (client: Client, answer: Answered | null, sent: Omit<AckedSend, 'messageId'>): void => {
  note(client, answer)
  if (answer?.status === 202) client.ledger.sends.push({ ...sent, messageId: String(answer.data.messageId) })
}

const send = async (client: Client, to: string, mayBeSuppressed: boolean): Promise<void> => {
  const subject = randomUUID()
  noteSend(client, await ask(client.api, 'POST /public/messages/email', { body: emailTo(client.api, to, subject) }), {
    subject,
    mayBeSuppressed,
  })
}

/** Repeats itself under one key until it is answered, across kills. */
const sendKeyed = async (client: Client, to: string): Promise<void> => {
  const subject = randomUUID()
  for (const deadline = Date.now() + KEYED_TIMEOUT_MS; ; await sleep(250)) {
    const answer = await ask(client.api, 'POST /public/messages/email', { body: emailTo(client.api, to, subject), key: subject })
    if (answer?.status === 202) return noteSend(client, answer, { subject, mayBeSuppressed: false })
    if (Date.now() > deadline) throw new Error(`a send under an idempotency key has had no answer for 150 s: ${answer?.status}`)
  }
}

/** One write of one value, by the only client that writes this contact. */
const write = async <T>(client: Client, cell: Cell<T>, value: T, request: () => Promise<Answered | null>): Promise<void> => {
  cell.maybe.push(value)
  const answer = await request()
  note(client, answer)
  if (unknown(answer)) return
  cell.maybe.pop()
  if (answer !== null && answer.status < 300) {
    client.ledger.writes.count++
    cell.acked = value
    cell.maybe.length = 0
  }
}

const create = async (client: Client, mine: OwnContact[]): Promise<void> => {
  const email = `${randomUUID()}@own.example`
  const firstName = `made by ${client.name}`
  const answer = await ask(client.api, 'POST /public/profiles', { body: { email, firstName } })
  note(client, answer)
  if (answer?.status !== 201) return
  const contact = ownContact(email, String(answer.data.id), firstName)
  mine.push(contact)
  client.ledger.writes.count++
  client.ledger.contacts.push(contact)
}

const contest = async (client: Client, mover: OwnContact | undefined): Promise<void> => {
  const email = `contested-${Math.floor(Math.random() * CONTESTED)}@shared.example`
  if (mover === undefined || Math.random() < 0.5)
    note(client, await ask(client.api, 'PUT /public/profiles', { body: { email, firstName: client.name } }))
  else note(client, await ask(client.api, `PATCH /public/profiles/${mover.id}`, { body: { email } }))
}

/** The first of a client's contacts is blocked and unblocked; `mover` goes between addresses that others want too. */
const step = async (client: Client, mine: OwnContact[], mover: OwnContact | undefined): Promise<void> => {
  const { api } = client
  const dice = Math.random()
  const whom = oneOf(mine)
  if (whom === undefined || dice < 0.1) return create(client, mine)
  const { email } = whom
  const text = `${client.name} ${randomUUID()}`
  if (dice < 0.3) return send(client, `${randomUUID()}@new.example`, false)
  if (dice < 0.5) return send(client, email, whom === mine[0])
  if (dice < 0.6) return sendKeyed(client, dice < 0.55 ? `${randomUUID()}@new.example` : (mine[1]?.email ?? `${randomUUID()}@new.example`))
  if (dice < 0.72) return write(client, whom.firstName, text, () => ask(api, 'PUT /public/profiles', { body: { email, firstName: text } }))
  if (dice < 0.84) return write(client, whom.notes, text, () => ask(api, 'PATCH /public/profiles', { body: { email, notes: text } }))
  if (dice < 0.94) return contest(client, mover)
  const [first = whom] = mine
  const block = Math.random() < 0.5
  const body = { contactId: first.id, channel: 'email' }
  return write(client, first.suppressed, block, () => ask(api, `${block ? 'POST' : 'DELETE'} /public/profiles/blacklist`, { body }))
}

/** Writes and sends until the signal, noting in the ledger what was answered and what was not. */
export async function runClient(client: Client): Promise<void> {
  const mine: OwnContact[] = []
  const movers: OwnContact[] = []
  const unwatched: Client = { ...client, ledger: { ...client.ledger, contacts: [] } }
  while (!client.signal.aborted) {
    if (movers.length === 0) await create(unwatched, movers)
    await step(client, mine, movers[0])
    await sleep(client.thinkMs ?? THINK_MS)
  }
}
