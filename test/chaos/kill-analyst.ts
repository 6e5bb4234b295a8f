import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asContactId, asWorkspaceId, contactStream } from '@tidings/domain'
import { testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { appendToLog, type Written } from '../e2e/support/append-to-log.ts'
import { type Installation, install } from '../e2e/support/installation.ts'

const CLI = join(import.meta.dirname, '../../packages/cli/bin/tidings.mjs')
const WORKSPACE = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const EVENTS_A_STREAM = 50

const historyOf = (contact: number): Written => {
  const contactId = asContactId(`0192f0c1-0000-7000-8000-${String(contact).padStart(12, '0')}`)
  const event = { type: 'ContactEmailValidated', data: { contactId, state: 'valid' } } as const
  const events = Array.from({ length: EVENTS_A_STREAM }, () => ({ at: '2026-11-21T12:00:00.000Z', event }))
  return { stream: contactStream(WORKSPACE, contactId), workspaceId: WORKSPACE, events }
}

const runFile = (style: string, schema: string, env: Installation['env'], diesAt?: number): ChildProcess =>
  spawn(
    process.execPath,
    [CLI, 'projection', 'run', join(import.meta.dirname, `kill-analyst.${style}.projection.ts`), '--schema', schema],
    {
      env: { PATH: process.env.PATH, ...env, ...(diesAt !== undefined && { ANALYST_DIES_AT: String(diesAt) }) },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )

const appliedIn = async (pool: Pool, schema: string): Promise<number> => {
  const { rows } = await pool.query<{ made: boolean }>('select to_regclass($1) is not null as made', [`${schema}.tidings_checkpoint`])
  if (rows[0]?.made !== true) return 0
  const counted = await pool.query<{ events: bigint }>(`select events from ${schema}.tidings_checkpoint`)
  return Number(counted.rows[0]?.events ?? 0)
}

/**
 * Starts the run again and again, and kills each once it has applied some more; the last may end. The first dies by itself, the others while this
 * process sees them run. Answers how many were killed.
 */
const runKilled = async (style: string, schema: string, { installation: { env, pool }, kills, events }: Torture): Promise<number> => {
  let killed = 0
  for (let n = 0; n < kills; n++) {
    const target = ((n + Math.random()) / (kills + 1)) * events
    const child = runFile(style, schema, env, n === 0 ? Math.floor(target) + 1 : undefined)
    const ended = once(child, 'exit')
    while (child.exitCode === null && child.signalCode === null && (n === 0 || (await appliedIn(pool, schema)) < target)) await sleep(1)
    child.kill('SIGKILL')
    const [, signal] = await ended
    if (signal === 'SIGKILL') killed += 1
  }
  const last = runFile(style, schema, env)
  const [code] = await once(last, 'exit')
  if (code !== 0) throw new Error(`the last run of ${style} ended with ${code}`)
  return killed
}

type Torture = Readonly<{ installation: Installation; kills: number; events: number }>

export type Killed = Readonly<{ killed: number; applied: number; differences: number; rows: number }>

/** Kills the runs of a projection `kills` times, and compares its tables with those of a run that was not. */
export async function killAnalyst({
  kills,
  events,
  style,
}: Readonly<{ kills: number; events: number; style: 'fold' | 'sql' }>): Promise<Killed> {
  const database = await testDatabase()
  const installation = await install(database.url)
  const { pool, env } = installation
  try {
    await appendToLog(
      env,
      Array.from({ length: events / EVENTS_A_STREAM }, (_, contact) => historyOf(contact)),
    )
    const killed = await runKilled(style, 'killed', { installation, kills, events })
    const [code] = await once(runFile(style, 'whole', env), 'exit')
    if (code !== 0) throw new Error(`the whole run of ${style} ended with ${code}`)
    const differing = '(table killed.chains except all table whole.chains) union all (table whole.chains except all table killed.chains)'
    const { rowCount } = await pool.query(differing)
    const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from killed.chains')
    return { killed, applied: await appliedIn(pool, 'killed'), differences: rowCount ?? 0, rows: rows[0]?.n ?? 0 }
  } finally {
    await installation.close()
    await database.drop()
  }
}
