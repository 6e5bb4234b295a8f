import { pause } from '@tidings/async'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import { databaseNow } from '@tidings/clock'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { admission, type DueSource, type Job, runLanes, watchDue } from '@tidings/inbox'
import { kyselyOn } from '@tidings/postgres'
import { type ReadSide, type ShownSinceAsked, shownSinceAsked } from '@tidings/projections'
import { contactFacts, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { createReadGate } from '../reads/read-gate.ts'
import type { RunningConsumers } from '../start-consumers.ts'
import { FIRST_DUE, isAnyDue, moveDue } from './due-table.ts'
import { listConsumer } from './list-consumer.ts'
import { createReadFacts } from './read-facts.ts'
import { DYNAMIC_LISTS, laneOf, reviewOf } from './review.ts'
import { READ_MODELS, reviewContact } from './review-contact.ts'
import { createRuleTable } from './rule-table.ts'
import { runPage } from './run-page.ts'
import { beginRuns, FIRST_RUN, isAnyUnfinished, newRuns } from './run-table.ts'

/** `now`: milliseconds since 1970. `pageOf`: contacts that a run compares at once, default 1 000. `idleMs`: between two looks at what could not be done yet, default 1 s. */
export type DynamicListsOptions = Readonly<{
  log: EventLog
  pool: Pool
  runner: Pick<CommandRunner, 'execute'>
  reads: Pick<ReadSide, 'wait'>
  transport?: Transport
  now?: () => number
  pageOf?: number
  idleMs?: number
  leaseMs?: number
  onFault?: (error: unknown, job: Job | null) => void
}>

/** Reviews at work at once: each waits for the database or an append most of the time. */
const CONCURRENCY = 64
const DUE_BATCH = 500
/** While more reviews than this wait, runs pause, so that new changes are reviewed soon. */
const ENOUGH_WAITING = 5_000

/** Keeps the members of dynamic lists what their rules say: after changes of contacts, as time goes by, and after changes of the rules. */
export function startDynamicLists(options: DynamicListsOptions): RunningConsumers {
  const { log, pool, runner, reads, onFault, transport = runDirectConsumer, now = databaseNow, idleMs = 1_000 } = options
  const rules = createRuleTable(pool)
  const fault = (error: unknown): void => onFault?.(error, null)
  const gate = createReadGate({ pool, kind: DYNAMIC_LISTS, head: () => log.head(), reads, onReleased: () => lanes.wake(), onFault: fault })
  const reviewing = { log, pool, runner, gate, rules, facts: contactFacts(kyselyOn<ReadModels>(pool)), now }
  const lanes = runLanes({
    pool,
    kind: DYNAMIC_LISTS,
    concurrency: CONCURRENCY,
    leaseMs: options.leaseMs ?? 30_000,
    work: gate.guard(
      ({ payload }) => laneOf(reviewOf(payload)),
      (job, lease) => reviewContact(reviewing, job, lease),
    ),
    ...(onFault && { onFault }),
  })
  const known = shownSinceAsked({ head: () => log.head(), reads, projections: READ_MODELS })
  const stopping = new AbortController()
  const repeating = { pool, idleMs, fault, signal: stopping.signal }
  // Each asks once whether there is anything to do: what it does then takes eight statements.
  const runs = repeat(repeating, { kind: 'list-runs', sql: FIRST_RUN }, async () => {
    if (!(await isAnyUnfinished(pool))) return false
    await begin(pool, known)
    const paged = (await isBusy(pool))
      ? false
      : await runPage({ pool, head: () => log.head(), rules, now, ...(options.pageOf && { contacts: options.pageOf }) })
    if (paged) lanes.wake()
    return paged
  })
  const due = repeat(repeating, { kind: 'lists', sql: FIRST_DUE, clock: now }, async () => {
    if (!(await isAnyDue(pool, now()))) return false
    // The time is taken before the head: what the log had when time came is what the reviews see.
    const at = now()
    const moved = await moveDue(pool, { now: at, limit: DUE_BATCH, head: await log.head(), admit: admission(DYNAMIC_LISTS) })
    if (moved > 0) lanes.wake()
    return moved === DUE_BATCH
  })
  // The group reads from the start of the log: a rule may be older than the group.
  const facts = createReadFacts(pool, transport !== runDirectConsumer)
  const consumer = transport({ consumer: listConsumer({ facts, admit: lanes.admit }), log, pool, startAt: 'start', onFault: fault })
  return {
    views: [],
    progress: () => ({ [consumer.group]: consumer.progress() }),
    stop: async () => {
      stopping.abort()
      await Promise.all([consumer.stop(), runs, due])
      await lanes.stop()
      await gate.stop()
    },
  }
}

type Repeating = Readonly<{ pool: Pool; idleMs: number; fault: (error: unknown) => void; signal: AbortSignal }>

/** The net below what says that something is due. */
const NET_IN_IDLE_MS = 30

/** Repeats at once while there is more to do, else when something is due, and always after a pause. */
const repeat = async ({ pool, idleMs, fault, signal }: Repeating, source: DueSource, work: () => Promise<boolean>): Promise<void> => {
  let due = new AbortController()
  const watch = watchDue(pool, source, () => due.abort())
  while (!signal.aborted) {
    const isMore = await work().catch((error: unknown) => {
      if (!signal.aborted) fault(error)
      return false
    })
    if (isMore) continue
    await pause(idleMs, signal, { ref: false })
    await pause(NET_IN_IDLE_MS * idleMs, AbortSignal.any([signal, due.signal]), { ref: false })
    due = new AbortController()
  }
  await watch.stop()
}

/**
 * A run begins when the read models show the head that the log had when the rule was first seen here: what is later is reviewed under the rule, and
 * what was reviewed before it is shown.
 */
const begin = async (pool: Pool, shown: ShownSinceAsked): Promise<void> => {
  const runs = (await newRuns(pool)).map((run) => ({ run, id: `${run.workspaceId}/${run.listId}/${run.version}` }))
  if (runs.length === 0) return
  const ids = await shown(runs.map(({ id }) => id))
  if (ids.size > 0)
    await beginRuns(
      pool,
      runs.flatMap(({ run, id }) => (ids.has(id) ? [run] : [])),
    )
}

const isBusy = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query('select 1 from inbox.job where kind = $1 limit $2', [DYNAMIC_LISTS, ENOUGH_WAITING])
  return rowCount === ENOUGH_WAITING
}
