import { randomUUID } from 'node:crypto'
import { type Appended, EventStoreError, type EventToAppend, type ExpectedRevision } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool } from '@tidings/postgres'
import type { Acked, Report, WriterOptions } from './event-log-torture.messages.ts'

/**
 * One writer process: many callers append to streams they share with the other processes, with random expectations, until the parent
 * says stop. An append whose outcome is unknown is repeated with the same ids until it is known, however long Postgres is away.
 */
const { url, writer, streams, callers }: WriterOptions = JSON.parse(process.argv[2] ?? '')
const pool = createPool({ url, max: 4, name: `torture-${writer}` })
const store = postgresEventStore({ pool })
const revisions = new Map<string, number>()
const acked: Acked[] = []
const counts = { resent: 0, resentRecognised: 0, foundStored: 0, refused: 0 }
let running = true

type Append = Readonly<{ stream: string; expected: ExpectedRevision; events: readonly EventToAppend[] }>

const randomAppend = (): Append => {
  const stream = `torture-${Math.floor(Math.random() * streams)}`
  const known = revisions.get(stream)
  const dice = Math.random()
  const expected: ExpectedRevision = dice < 0.1 ? 'no_stream' : dice < 0.4 ? 'any' : dice < 0.5 ? 'stream_exists' : (known ?? 'no_stream')
  const count = dice < 0.8 ? 1 : 1 + Math.floor(Math.random() * 4)
  const events = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    type: 'Tortured',
    data: JSON.stringify({ writer, n, text: 'x'.repeat(Math.floor(Math.random() * 600)) }),
    meta: '{"workspaceId":"torture"}',
  }))
  return { stream, expected, events }
}

/** Null when the store refused it for good. */
const untilKnown = async ({ stream, expected, events }: Append): Promise<Appended | null> => {
  for (;;) {
    try {
      return await store.append(stream, expected, events)
    } catch (error) {
      if (!(error instanceof EventStoreError)) throw error
      if (!error.retryable) {
        if ('current' in error && typeof error.current === 'number') revisions.set(stream, error.current)
        return null
      }
    }
  }
}

const caller = async (): Promise<void> => {
  while (running) {
    const append = randomAppend()
    const answer = await untilKnown(append)
    if (answer === null) {
      counts.refused += 1
      continue
    }
    if (answer.duplicate) counts.foundStored += 1
    revisions.set(append.stream, Math.max(revisions.get(append.stream) ?? 0, answer.revision))
    acked.push({
      stream: append.stream,
      ids: append.events.map((event) => event.id),
      revision: answer.revision,
      position: String(answer.position.commit),
    })
    if (Math.random() < 0.05) await resend(append, answer)
  }
}

const resend = async (append: Append, first: Appended): Promise<void> => {
  const again = await untilKnown(append)
  counts.resent += 1
  if (again?.duplicate === true && again.revision === first.revision && again.position.commit === first.position.commit)
    counts.resentRecognised += 1
}

const report = (): Promise<void> =>
  new Promise((resolve) => {
    const message: Report = { acked: acked.splice(0), ...counts }
    process.send?.(message, () => resolve())
  })

process.on('message', () => {
  running = false
})
// The parent is gone: no process counts any more.
process.on('disconnect', () => process.exit())
const reporting = setInterval(() => void report(), 100)
await Promise.all(Array.from({ length: callers }, caller))
clearInterval(reporting)
await report()
await store.close()
await pool.end()
process.exit()
