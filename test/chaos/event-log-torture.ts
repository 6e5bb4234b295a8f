import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool, migrate } from '@tidings/postgres'
import { startTestPostgres, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { type Audit, audit } from './event-log-torture.audit.ts'
import type { Acked, Report, WriterOptions } from './event-log-torture.messages.ts'
import { killBackend } from './kill-backend.ts'

export type Torture = Readonly<{ kills: number; secondsBetween: number; writers: number; callers: number; killWriter: boolean }>

export type TortureResult = Audit & Pick<Report, 'resent' | 'resentRecognised' | 'foundStored' | 'refused'>

type Writer = Readonly<{ process: ChildProcess; acked: Acked[]; last: () => Report | undefined }>

const WRITER = fileURLToPath(new URL('./event-log-torture.writer.ts', import.meta.url))
const STREAMS = 200

/**
 * Writer processes append to shared streams while Postgres is killed (SIGKILL, then crash recovery) again and again, and a subscriber
 * in this process follows from the start all the time. Afterwards the table is compared with what was acknowledged and what was seen.
 */
export async function torture(options: Torture): Promise<TortureResult> {
  const server = await startTestPostgres()
  const pool = createPool({ url: server.url, max: 4, name: 'torture' })
  await migrate(pool)
  const store = postgresEventStore({ pool, window: { maxEvents: 2_000 } })
  const writers = Array.from({ length: options.writers }, (_, writer) =>
    startWriter({ url: server.url, writer, streams: STREAMS, callers: options.callers }),
  )
  const ending = new AbortController()
  const seen: Readonly<{ stream: string; revision: number; position: bigint }>[] = []
  const following = (async () => {
    for await (const { events } of store.subscribe({ from: 'start', signal: ending.signal })) {
      for (const { stream, revision, position } of events) seen.push({ stream, revision, position: position.commit })
    }
  })()
  await crash({ server, pool, writers }, options)
  await Promise.all(writers.map(stopWriter))
  const acked = writers.flatMap((writer) => writer.acked)
  const total = (await store.head()).commit
  while ((seen.at(-1)?.position ?? 0n) < total) await pause(20)
  ending.abort()
  await following
  const result = await audit(pool, acked, seen)
  await store.close()
  await pool.end()
  await server.stop()
  return { ...result, ...sums(writers) }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const startWriter = (options: WriterOptions): Writer => {
  const process = fork(WRITER, [JSON.stringify(options)], { execArgv: [] })
  const acked: Acked[] = []
  let last: Report | undefined
  process.on('message', (report: Report) => {
    acked.push(...report.acked)
    last = report
  })
  return { process, acked, last: () => last }
}

const everyoneWrites = async (writers: readonly Writer[]): Promise<void> => {
  while (writers.some(({ acked }) => acked.length < 100)) await pause(20)
}

/** The backends first: the statement they are in is cut off, perhaps between its commit and its answer. */
const killBackends = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'tidings-append' and datname = current_database()`,
  )
  for (const { pid } of rows) killBackend(pid)
}

type Victims = Readonly<{ server: TestPostgres; pool: Pool; writers: readonly Writer[] }>

const crash = async ({ server, pool, writers }: Victims, { kills, secondsBetween, killWriter }: Torture): Promise<void> => {
  await everyoneWrites(writers)
  if (killWriter) writers[0]?.process.kill('SIGKILL')
  for (let n = 0; n < kills; n++) {
    await killBackends(pool)
    await server.kill()
    await server.start()
    await pause(secondsBetween * 1_000)
  }
}

const stopWriter = async ({ process }: Writer): Promise<void> => {
  if (process.exitCode !== null || process.signalCode !== null) return
  // What it said last may come after its end.
  const gone = Promise.all([once(process, 'exit'), once(process, 'disconnect')])
  process.send('stop')
  await gone
}

const sums = (writers: readonly Writer[]): Pick<Report, 'resent' | 'resentRecognised' | 'foundStored' | 'refused'> => {
  const sum = (key: 'resent' | 'resentRecognised' | 'foundStored' | 'refused'): number =>
    writers.reduce((total, writer) => total + (writer.last()?.[key] ?? 0), 0)
  return { resent: sum('resent'), resentRecognised: sum('resentRecognised'), foundStored: sum('foundStored'), refused: sum('refused') }
}
