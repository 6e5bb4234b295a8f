import { repeat } from '@tidings/async'
import { databaseNow } from '@tidings/async/clock'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import { admission, type DueSource, DYNAMIC_LISTS, runLanes, watchDue } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import { observe, sharedRead } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import { type ReadYourWrites, type ShownSinceAsked, shownSinceAsked } from '@tidings/projections'
import { contactFacts, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { createReadGate } from '../reads/read-gate.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { FIRST_DUE, isAnyDue, moveDue } from './due-table.ts'
import { listConsumer } from './list-consumer.ts'
import { createReadFacts } from './read-facts.ts'
import { laneOf, reviewOf } from './review.ts'
import { READ_MODELS, reviewContact } from './review-contact.ts'
import { createRuleTable } from './rule-table.ts'
import { runPage } from './run-page.ts'
import { beginRuns, FIRST_RUN, isAnyUnfinished, newRuns } from './run-table.ts'

/** `requestPool`: for what is read at a scrape. `now`: milliseconds since 1970. `pageOf`: contacts that a run compares at once, default 1 000. `idleMs`: between two looks at what could not be done yet, default 1 s. */
export type DynamicListsOptions = Readonly<{
  log: EventLog
  pool: Pool
  requestPool: Pool
  commands: CommandExecutor
  reads: ReadYourWrites
  logger: Logger
  transport?: Transport
  now?: () => number
  pageOf?: number
  idleMs?: number
  leaseMs?: number
}>

/** Reviews at work at once: each waits for the database or an append most of the time. */
const CONCURRENCY = 64
const DUE_BATCH = 500
/** While more reviews than this wait, runs pause, so that new changes are reviewed soon. */
const ENOUGH_WAITING = 5_000

/** Keeps the members of dynamic lists what their rules say: after changes of contacts, as time goes by, and after changes of the rules. */
export function startDynamicLists(options: DynamicListsOptions): RunningConsumers {
  const { log, pool, commands, reads, logger, transport = runDirectConsumer, now = databaseNow, idleMs = 1_000 } = options
  const rules = createRuleTable(pool)
  const onJobFault = faultLines(logger, 'members of dynamic lists could not be brought up to date')
  const onFault = (error: unknown): void => onJobFault(error, null, null)
  observeLists(options.requestPool)
  const gate = createReadGate({ pool, kind: DYNAMIC_LISTS, head: () => log.head(), reads, onReleased: () => lanes.wake(), onFault })
  const reviewing = { log, pool, commands, gate, rules, facts: contactFacts(kyselyOn<ReadModels>(pool)), now }
  const lanes = runLanes({
    pool,
    kind: DYNAMIC_LISTS,
    concurrency: CONCURRENCY,
    leaseMs: options.leaseMs ?? 30_000,
    work: gate.guard(
      ({ payload }) => laneOf(reviewOf(payload)),
      (job, lease) => reviewContact(reviewing, job, lease),
    ),
    onFault: onJobFault,
  })
  const known = shownSinceAsked({ head: () => log.head(), reads, projections: READ_MODELS })
  const whenDue = { pool, idleMs, onFault }
  // Each asks once whether there is anything to do: what it does then takes eight statements.
  const runs = repeatWhenDue(whenDue, { kind: 'list-runs', sql: FIRST_RUN }, async () => {
    if (!(await isAnyUnfinished(pool))) return false
    await begin(pool, known)
    const paged = (await isBusy(pool))
      ? false
      : await runPage({ pool, head: () => log.head(), rules, now, ...(options.pageOf && { contacts: options.pageOf }) })
    if (paged) lanes.wake()
    return paged
  })
  const due = repeatWhenDue(whenDue, { kind: 'lists', sql: FIRST_DUE, clock: now }, async () => {
    if (!(await isAnyDue(pool, now()))) return false
    // The time is taken before the head: what the log had when time came is what the reviews see.
    const at = now()
    const moved = await moveDue(pool, { now: at, limit: DUE_BATCH, head: await log.head(), admit: admission(DYNAMIC_LISTS) })
    if (moved > 0) lanes.wake()
    return moved === DUE_BATCH
  })
  // The group reads from the start of the log: a rule may be older than the group.
  const facts = createReadFacts(pool, transport !== runDirectConsumer)
  const consumer = transport({ consumer: listConsumer({ facts, admit: lanes.admit }), log, pool, startAt: 'start', onFault })
  return {
    views: [],
    progress: () => ({ [consumer.group]: consumer.progress() }),
    stop: async () => {
      await Promise.all([consumer.stop(), runs.stop(), due.stop()])
      await lanes.stop()
      await gate.stop()
    },
  }
}

/** `runs`: rules that are being brought to all contacts; `contacts`: how many these have passed; `dueSeconds`: how late the oldest due review is. */
type ListDepth = Readonly<{ runs: number; contacts: number; dueSeconds: number }>

/** Counts the waiting work of the whole installation. */
async function listDepth(pool: Pool): Promise<ListDepth> {
  const { rows } = await pool.query<ListDepth>(
    `select count(*)::int as runs, coalesce(sum(contacts), 0)::float8 as contacts,
       (select greatest(0, extract(epoch from clock_timestamp() - due_at))::float8 from lists.due order by due_at limit 1) as "dueSeconds"
     from lists.run where finished_at is null`,
  )
  const [depth] = rows
  return { runs: depth?.runs ?? 0, contacts: depth?.contacts ?? 0, dueSeconds: depth?.dueSeconds ?? 0 }
}

/** The progress of the rules of dynamic lists, in the installation. */
const observeLists = (pool: Pool): void => {
  const depth = sharedRead(() => listDepth(pool))
  observe({
    name: 'tidings_list_runs',
    help: 'Rules of dynamic lists that are being brought to all contacts',
    read: async () => (await depth()).runs,
  })
  observe({
    name: 'tidings_list_run_contacts',
    help: 'Contacts that these rules have been compared with',
    read: async () => (await depth()).contacts,
  })
  observe({
    name: 'tidings_list_due_seconds',
    help: 'How late contacts are reviewed whom time may move',
    read: async () => (await depth()).dueSeconds,
  })
}

type WhenDue = Readonly<{ pool: Pool; idleMs: number; onFault: (error: unknown) => void }>

/** The net below what says that something is due. */
const NET_IN_IDLE_MS = 30

/** Repeats at once while there is more to do, else when something is due, and always after a pause. */
const repeatWhenDue = (
  { pool, idleMs, onFault }: WhenDue,
  source: DueSource,
  work: () => Promise<boolean>,
): Readonly<{ stop: () => Promise<void> }> => {
  const rest = { atLeastMs: idleMs, atMostMs: (1 + NET_IN_IDLE_MS) * idleMs }
  const { wake, stop } = repeat({
    ref: false,
    round: async () => ((await work()) ? 0 : rest),
    afterFault: (error, signal) => {
      if (!signal.aborted) onFault(error)
      return rest
    },
  })
  const watch = watchDue(pool, source, wake)
  return {
    stop: async () => {
      await stop()
      await watch.stop()
    },
  }
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
