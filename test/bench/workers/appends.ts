import { randomUUID } from 'node:crypto'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool, migrate } from '@tidings/postgres'
import { closedLoop, type Looped } from '../lib/closed-loop.ts'
import { WORKSPACE_ID } from '../lib/engine.ts'

/** The event store alone, in a process of its own: each caller appends to a stream of its own, at the exact revision. */
export type AppendsInput = Readonly<{ url: string; callers: readonly number[]; seconds: number; runs: number }>
export type AppendsAnswer = readonly Readonly<{ callers: number; runs: readonly Looped[] }>[]

const input = JSON.parse(process.argv[2] ?? '{}') as AppendsInput
const pool = createPool({ url: input.url, max: 4, name: 'bench' })
await migrate(pool)
const store = postgresEventStore({ pool })

/** An event with about 300 bytes of data, and the meta of a real one. */
const DATA = JSON.stringify({ messageId: randomUUID(), contactId: randomUUID(), note: 'x'.repeat(190) })
const META = JSON.stringify({
  workspaceId: WORKSPACE_ID,
  actor: `key:${randomUUID()}`,
  requestId: randomUUID(),
  schemaVersion: 1,
  at: new Date().toISOString(),
})

const appending = (callers: number) => {
  const streams = Array.from({ length: callers }, () => ({ name: `bench-${WORKSPACE_ID}-${randomUUID()}`, revision: -1 }))
  return async (caller: number): Promise<void> => {
    const stream = streams[caller]!
    const expected = stream.revision < 0 ? 'no_stream' : stream.revision
    await store.append(stream.name, expected, [{ id: randomUUID(), type: 'BenchRan', data: DATA, meta: META }])
    stream.revision++
  }
}

const measure = (callers: number, seconds = input.seconds): Promise<Looped> => closedLoop({ callers, seconds, call: appending(callers) })

await measure(64)
const results = input.callers.map((callers) => ({ callers, runs: [] as Looped[] }))
for (let run = 0; run < input.runs; run++) {
  for (const { callers, runs } of results) {
    const looped = await measure(callers)
    runs.push(looped)
    process.stderr.write(`  ${callers} callers: ${Math.round(looped.perSecond)}/s, p50 ${looped.p50.toFixed(2)} ms\n`)
  }
}
await store.close()
await pool.end()
process.stdout.write(`${JSON.stringify(results satisfies AppendsAnswer)}\n`)
