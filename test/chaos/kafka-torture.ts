import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool, migrate } from '@tidings/postgres'
import { startTestPostgres } from '@tidings/testing'
import { startTestBroker } from '@tidings/testing/kafka'
import type { Pool } from 'pg'
import { type Audit, audit } from './kafka-torture.audit.ts'
import { openLog } from './kafka-torture.log.ts'
import type { PartOptions } from './kafka-torture.part.ts'
import { startWriting } from './kafka-torture.writer.ts'

/** What happens, in its order. `broker` and `postgres`: killed, and started again after a second. The others are replaced at once. */
export type Blow = 'broker' | 'relay' | 'consumer' | 'add consumer' | 'remove consumer' | 'postgres'

/** `pauseMs`: of a writer, between two events. */
export type Torture = Readonly<{ blows: readonly Blow[]; secondsBetween: number; writers: number; pauseMs?: number }>

export type TortureResult = Audit & Readonly<{ publishedAgain: number }>

const PART = fileURLToPath(new URL('./kafka-torture.part.ts', import.meta.url))
const TIMEOUT_MS = 180_000

/**
 * Writers append while the broker, the relay, consumers and Postgres are killed (SIGKILL) and consumers come and go. Afterwards the effects
 * are compared with what was acknowledged.
 */
export async function torture({ blows, secondsBetween, writers, pauseMs }: Torture): Promise<TortureResult> {
  const [postgres, broker] = await Promise.all([startTestPostgres(), startTestBroker()])
  const pool = createPool({ url: postgres.url, max: 6, name: 'torture', onIdleError: () => undefined })
  await migrate(pool)
  await pool.query(
    'create table effect (id bigint generated always as identity, position bigint not null, contact text not null, subject text not null, process text not null, consumer text not null)',
  )
  const part = (kind: PartOptions['part']) => startPart({ part: kind, url: postgres.url, broker: broker.address, prefix: 'torture' })
  const consumers = await Promise.all([part('consumer'), part('consumer')])
  const relays = await Promise.all([part('relay'), part('relay')])
  const store = postgresEventStore({ pool })
  const writing = startWriting(await openLog(pool, store), { writers, pauseMs })
  const strike: Readonly<Record<Blow, () => Promise<void>>> = {
    broker: async () => {
      await broker.kill()
      await sleep(1_000)
      await broker.start()
    },
    postgres: async () => {
      await postgres.kill()
      await sleep(1_000)
      await postgres.start()
    },
    // Either of them may lead: both have to be able to die.
    relay: () => replace(relays, () => part('relay')),
    consumer: () => replace(consumers, () => part('consumer')),
    'add consumer': async () => {
      consumers.push(await part('consumer'))
    },
    'remove consumer': async () => {
      const gone = consumers.shift()
      if (gone !== undefined) await stopPart(gone)
    },
  }
  try {
    await reached(pool, 100)
    for (const blow of blows) {
      await strike[blow]()
      await sleep(secondsBetween * 1_000)
    }
    const acked = await writing.stop()
    await everythingTookEffect(pool, acked.size)
    return { ...(await audit(pool, acked)), publishedAgain: await publishedAgain(broker.address, pool) }
  } finally {
    await writing.stop()
    await Promise.all([...consumers, ...relays].map(stopPart))
    await store.close()
    await pool.end()
    await Promise.all([postgres.stop(), broker.stop()])
  }
}

async function startPart(options: PartOptions): Promise<ChildProcess> {
  const part = fork(PART, [JSON.stringify(options)], { execArgv: [] })
  await once(part, 'message')
  return part
}

async function stopPart(part: ChildProcess): Promise<void> {
  if (part.exitCode !== null || part.signalCode !== null) return
  const gone = once(part, 'exit')
  part.send('stop')
  await gone
}

/** Kills the first with SIGKILL and puts another at the end. */
async function replace(parts: ChildProcess[], another: () => Promise<ChildProcess>): Promise<void> {
  parts.shift()?.kill('SIGKILL')
  parts.push(await another())
}

/** The effects of the group that is behind. */
const effects = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>('select count(distinct position)::int as count from effect group by consumer')
  return rows.length < 2 ? 0 : Math.min(...rows.map(({ count }) => count))
}

/** Waits for so many effects, or until there were no more of them for as long as a failing test may take. */
async function reached(pool: Pool, count: number): Promise<void> {
  let last = 0
  for (let deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(100)) {
    const now = await effects(pool)
    if (now >= count) return
    if (now > last) deadline = Date.now() + TIMEOUT_MS
    last = now
  }
}

/** Waits for events that were written and not acknowledged, too. The audit counts those that are missing at the timeout. */
async function everythingTookEffect(pool: Pool, acked: number): Promise<void> {
  await reached(pool, acked)
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from es.event where type = 'EmailAccepted'`)
  await reached(pool, rows[0]?.count ?? acked)
}

/** Records beyond the first of an event: a relay or a broker died between the sending and the checkpoint. */
async function publishedAgain(address: string, pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from es.event where type = 'EmailAccepted'`)
  const { recordsIn } = await import('./kafka-torture.topic.ts')
  return (await recordsIn(address, 'torture.events')) - (rows[0]?.count ?? 0)
}
