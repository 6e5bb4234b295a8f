import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { putSecrets } from '@tidings/config'
import { createPool } from '@tidings/postgres'
import { startEmbedded } from '@tidings/postgres/embedded'
import type { Pool } from 'pg'
import type { CatchUpAnswer, CatchUpInput } from '../workers/catch-up.ts'
import type { RepeatHistoryAnswer, RepeatHistoryInput } from '../workers/repeat-history.ts'
import type { WriteHistoryAnswer, WriteHistoryInput } from '../workers/write-history.ts'
import type { Bench } from './bench.ts'
import { runScript } from './children.ts'
import { MASTER_KEY } from './engine.ts'
import { type Service, startService } from './service.ts'
import { applyWorkspace, type Workspace } from './workspace.ts'

/** Nothing is sent: what is measured is accepting and reading. */
const ROLES = ['command-api', 'query-api', 'projectors']
const LOOK_MS = 500

/** What is written and sealed as the service does it; beyond that it is laid again, as it would take hours. */
const SEALED_MOST = 300_000

/**
 * A data directory whose log has `events`, and what it took to fill it and to make its read models. `written`: what can be opened, and the
 * people who can be sent to.
 */
export type Grown = Readonly<{
  dataDir: string
  workspace: Workspace
  events: number
  written: WriteHistoryAnswer
  caughtUp: CatchUpAnswer
}>

/** A service on it. Statements of `pool` are the bench's own. */
export type GrownService = Grown & Readonly<{ service: Service; pool: Pool; stop: () => Promise<void> }>

/** The log that was grown in a folder that is kept. */
const keptIn = async (folder: string): Promise<Grown | null> => {
  const text = await readFile(join(folder, 'grown.json'), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Grown)
}

/** A log of about so many events. `keepIn`: where it stays, to be used by the next call; else it is gone with the bench. */
export async function growLog(bench: Bench, count: number, keepIn?: string): Promise<Grown> {
  if (keepIn === undefined) return await fillLog(bench, await bench.folder(), count)
  const folder = join(keepIn, `log-${count}`)
  const kept = await keptIn(folder)
  if (kept !== null) return kept
  await mkdir(folder, { recursive: true })
  const grown = await fillLog(bench, folder, count)
  await writeFile(join(folder, 'grown.json'), JSON.stringify(grown))
  return grown
}

/** Makes a data directory as a first start does, and fills its log and its read models past HTTP. */
const fillLog = async (bench: Bench, dataDir: string, count: number): Promise<Grown> => {
  await putSecrets(dataDir, { masterKey: MASTER_KEY })
  const service = await startService(bench, { dataDir, roles: ROLES })
  const workspace = await applyWorkspace(service)
  await service.stop()
  const log = { info: () => undefined, warn: bench.say, error: bench.say }
  const { url, stop } = await startEmbedded({ dataDir, log, use: 'command' })
  try {
    bench.say(`a log of ${count.toLocaleString('en')} events`)
    const sealed: WriteHistoryInput = { url, events: Math.min(count, SEALED_MOST) }
    const written = await runScript<WriteHistoryAnswer>('workers/write-history.ts', sealed)
    bench.say(`${Math.round(written.events / written.seconds)} events written a second; the projections follow`)
    const caughtUp = await runScript<CatchUpAnswer>('workers/catch-up.ts', { url } satisfies CatchUpInput)
    bench.say(`${Math.round(written.events / caughtUp.seconds)} events followed a second; at most ${Math.round(caughtUp.peakMb)} MB`)
    const input: RepeatHistoryInput = { url, events: count }
    const { events } = count > SEALED_MOST ? await runScript<RepeatHistoryAnswer>('workers/repeat-history.ts', input) : written
    await settled(url)
    return { dataDir, workspace, events, written, caughtUp }
  } finally {
    await stop()
  }
}

/** What filling left behind is vacuumed and on disk: else it is counted against what is measured next. */
const settled = async (url: string): Promise<void> => {
  const pool = createPool({ url, max: 1, name: 'bench' })
  try {
    await pool.query('vacuum (analyze)')
    await pool.query('checkpoint')
    const vacuuming = `select from pg_stat_activity where backend_type = 'autovacuum worker'`
    while ((await pool.query(vacuuming)).rowCount !== 0) await sleep(LOOK_MS)
  } finally {
    await pool.end()
  }
}

/** Starts the service on what has grown. */
export async function serveGrown(bench: Bench, grown: Grown, env: Readonly<Record<string, string>> = {}): Promise<GrownService> {
  const service = await startService(bench, { dataDir: grown.dataDir, roles: ROLES, env })
  const pool = createPool({ url: service.databaseUrl, max: 2, name: 'bench' })
  const stop = async (): Promise<void> => {
    if (!pool.ended) await pool.end()
    await service.stop()
  }
  bench.after(stop)
  return { ...grown, service, pool, stop }
}
