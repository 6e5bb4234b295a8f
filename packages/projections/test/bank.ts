import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventLog, type EventLog, memoryKeyRing } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Pool } from 'pg'
import { type AnyProjection, createProgress, type Progress, type RunningProjection, runProjection } from '../src/index.ts'
import { type AccountEvent, accountDeclarations, accountsProjection } from './accounts.ts'

const WORKSPACE = asWorkspaceId('0192f0c1-0000-7000-8000-000000000001')

export function accountStream(id: string): string {
  return `account-${WORKSPACE}-${id}`
}

/** A log in memory that knows the bank's events. */
export function bankLog(): EventLog {
  return createEventLog({ store: memoryEventStore(), declarations: accountDeclarations, upcasters: [], keyRing: memoryKeyRing() })
}

type Writable = AccountEvent | Readonly<{ type: 'SomethingElse'; data: Readonly<Record<string, never>> }>

/** Appends to the account's stream; returns the position of the last event. */
export async function write(log: EventLog, id: string, ...events: readonly Writable[]): Promise<Position> {
  const context = { commandId: randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  return (await log.append(accountStream(id), 'any', events, context)).position
}

export function opened(id: string, owner = 'Ann'): AccountEvent {
  return { type: 'AccountOpened', data: { id, owner } }
}
export function deposited(id: string, amount: string | number): AccountEvent {
  return {
    type: 'MoneyDeposited',
    data: { id, amount: String(amount) },
  }
}
export function closed(id: string): AccountEvent {
  return { type: 'AccountClosed', data: { id } }
}

export type Run = Readonly<{
  pool: Pool
  log: EventLog
  projection?: AnyProjection
  owner?: string
  maxBatch?: number
  progress?: Progress
  threads?: Parameters<typeof runProjection>[0]['threads']
}>

export type Running = RunningProjection & Readonly<{ progress: Progress; failures: readonly unknown[] }>

/** Runs the bank's projection, remembering its failures. */
export function run({ projection = accountsProjection, owner = randomUUID(), progress = createProgress(), ...options }: Run): Running {
  const failures: unknown[] = []
  const onFailure = (_: string, error: unknown) => failures.push(error)
  return { ...runProjection({ ...options, projection, owner, progress, onFailure }), progress, failures }
}

/** Resolves when `condition` holds; the test's own time limit is the only other way out. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5)
}

/** Resolves when one of them, or the one, is where the log ends. */
export async function untilAtHead(running: Running | readonly Running[], log: EventLog): Promise<void> {
  const head = await log.head()
  const isAtHead = ({ progress }: Running) => comparePositions(progress.of('accounts')?.position ?? { commit: -2n, prepare: 0n }, head) >= 0
  await until(() => [running].flat().some(isAtHead))
}

/** `id balance deposits` of each account, and how many there are. */
export async function balances(pool: Pool): Promise<Readonly<{ accounts: readonly string[]; total: bigint }>> {
  const { rows } = await pool.query<{ line: string }>(`select concat_ws(' ', id, balance, deposits) as line from read.accounts order by id`)
  const totals = await pool.query<{ accounts: bigint }>('select accounts from read.account_totals')
  return { accounts: rows.map(({ line }) => line), total: totals.rows[0]?.accounts ?? 0n }
}

/** Resets everything to the state of a new database. */
export async function forget(pool: Pool): Promise<void> {
  for (const suffix of ['', '__next', '__old'])
    await pool.query(`drop table if exists read.accounts${suffix}, read.account_totals${suffix}, read.account_notes${suffix}`)
  await pool.query(
    'truncate ops.projection_checkpoint, ops.projection_lease, ops.projection_status, ops.parked_stream, ops.projection_build',
  )
}
