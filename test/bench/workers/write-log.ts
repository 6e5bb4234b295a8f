import { uuidv7 } from '@tidings/codec'
import { asContactId, contactStream } from '@tidings/domain'
import { contactEvent, type Mix } from '../lib/contact-event.ts'
import { newContext, openEngine, WORKSPACE_ID } from '../lib/engine.ts'

/**
 * Fills a log: every contact's `first` events in one append, then its `later` ones one at a time, in rounds over all contacts, so that
 * the neighbours of a later event are other people's.
 */
export type WriteLogInput = Readonly<{ url: string; mix: Mix; contacts: number; first: number; later: number }>
export type WriteLogAnswer = Readonly<{ events: number }>

const CALLERS = 256

const { url, mix, contacts, first, later } = JSON.parse(process.argv[2] ?? '{}') as WriteLogInput
const engine = await openEngine(url)
const contactIds = Array.from({ length: contacts }, uuidv7)

/** Appends the events `from` up to `to` of every contact. */
const appendAll = async (from: number, to: number): Promise<void> => {
  const state = { next: 0 }
  const caller = async (): Promise<void> => {
    for (let contactId = contactIds[state.next++]; contactId !== undefined; contactId = contactIds[state.next++]) {
      const of = asContactId(contactId)
      const events = Array.from({ length: to - from }, (_, n) => contactEvent(mix, of, from + n))
      await engine.log.append(contactStream(WORKSPACE_ID, of), from === 0 ? 'no_stream' : from - 1, events, newContext())
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

await appendAll(0, first)
for (let round = 0; round < later; round++) await appendAll(first + round, first + round + 1)
const { commit } = await engine.log.head()
await engine.close()
process.stdout.write(`${JSON.stringify({ events: Number(commit) } satisfies WriteLogAnswer)}\n`)
