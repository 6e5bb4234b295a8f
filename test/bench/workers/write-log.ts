import { uuidv7 } from '@tidings/codec'
import { contactStream } from '@tidings/domain'
import { contactEvent, type Mix } from '../lib/contact-event.ts'
import { newContext, openEngine, WORKSPACE_ID } from '../lib/engine.ts'

/** Fills a log: `contacts` creations, then rounds over all of them, so that the neighbours of an event are other people's. */
export type WriteLogInput = Readonly<{ url: string; mix: Mix; contacts: number; rounds: number }>
export type WriteLogAnswer = Readonly<{ events: number }>

const CALLERS = 256

const { url, mix, contacts, rounds } = JSON.parse(process.argv[2] ?? '{}') as WriteLogInput
const engine = await openEngine(url)
const streams = Array.from({ length: contacts }, () => ({ contactId: uuidv7(), revision: -1 }))

for (let round = 0; round <= rounds; round++) {
  const state = { next: 0 }
  const caller = async (): Promise<void> => {
    for (let stream = streams[state.next++]; stream !== undefined; stream = streams[state.next++]) {
      const { contactId, revision } = stream
      const event = contactEvent(mix, contactId, round)
      await engine.log.append(contactStream(WORKSPACE_ID, contactId), round === 0 ? 'no_stream' : revision, [event], newContext())
      stream.revision++
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}
const { commit } = await engine.log.head()
await engine.close()
process.stdout.write(`${JSON.stringify({ events: Number(commit) } satisfies WriteLogAnswer)}\n`)
