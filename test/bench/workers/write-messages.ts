import { uuidv7 } from '@tidings/codec'
import { newContext, openEngine, WORKSPACE_ID } from '../lib/engine.ts'

/** Fills a log with messages to 2 000 contacts: `accepted` with 2 kB of html, sealed; or `delivered`, which is small and in clear. */
export type WriteMessagesInput = Readonly<{ url: string; kind: 'accepted' | 'delivered'; events: number }>

const CALLERS = 64
const AT_ONCE = 20

const { url, kind, events } = JSON.parse(process.argv[2] ?? '{}') as WriteMessagesInput
const engine = await openEngine(url)
const contacts = Array.from({ length: 2_000 }, uuidv7)
const html = `<p>${'x'.repeat(2_000)}</p>`

const eventOf = (n: number) => {
  const ids = { messageId: uuidv7(), contactId: contacts[n % contacts.length] ?? '', channel: 'email' as const }
  if (kind === 'delivered') return { type: 'MessageDelivered', data: ids }
  const ends = { to: 'ada@example.com', fromEmail: 'hello@acme.example', fromName: 'Acme', replyTo: null }
  const content = { subject: 'Your receipt', html, text: null }
  return { type: 'EmailAccepted', data: { ...ids, ...ends, content, contentId: null, templateId: null, kind: 'transactional' } }
}

const state = { next: 0 }
const caller = async (): Promise<void> => {
  while (state.next < events) {
    const from = state.next
    state.next += AT_ONCE
    const batch = Array.from({ length: Math.min(AT_ONCE, events - from) }, (_, n) => eventOf(from + n))
    await engine.log.append(`message-${WORKSPACE_ID}-${uuidv7()}`, 'no_stream', batch, newContext())
  }
}
await Promise.all(Array.from({ length: CALLERS }, caller))
await engine.close()
process.stdout.write('{}\n')
