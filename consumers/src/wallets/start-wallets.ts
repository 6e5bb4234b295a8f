import { databaseNow } from '@tidings/async/clock'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { asWorkspaceId, NIL_ID, type WorkspaceId } from '@tidings/domain'
import type { Logger } from '@tidings/observability/log'
import { counter, eachOf, gauge, observe, sharedRead } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import { type ReadModels, walletTotals, workspacesWithHolds } from '@tidings/read-models'
import { sweepHolds, type Wallets } from '@tidings/wallet'
import type { Pool } from 'pg'
import { isAway } from '../is-away.ts'
import { runLeasedRounds } from '../leased-rounds.ts'

/** The holds that one round over all workspaces has ended. `heldSince`: of the oldest hold that is left, null where none is. */
export type SweptWallets = Readonly<{ settled: number; released: number; workspaces: number; heldSince: string | null }>

/** `withHolds`: the workspaces that credits are held in, in the order of their ids, after one. */
type Swept = Readonly<{
  log: EventLog
  commands: CommandRunner
  wallets: Wallets
  withHolds: (page: Readonly<{ after: WorkspaceId; limit: number }>) => Promise<readonly WorkspaceId[]>
  onFault: (error: unknown) => void
  now: () => number
}>

/**
 * `canWork`: whether this process has the master key in force. `lowCredits`: below which a wallet counts as low. `withHolds`: by default from the
 * read models. `onSwept` hears of each round, and of null where another process sweeps; by default the metrics and the log do. `now`: the clock
 * of this process, in ms since 1970.
 */
export type WalletsOptions = Readonly<{
  log: EventLog
  pool: Pool
  requestPool: Pool
  commands: CommandRunner
  wallets: Wallets
  lowCredits: number
  canWork: () => boolean
  logger: Logger
  withHolds?: Swept['withHolds']
  onSwept?: (swept: SweptWallets | null) => void
  everyMs?: number
  now?: () => number
}>

const sweptHolds = counter(
  {
    name: 'tidings_wallet_swept_holds_total',
    help: 'Holds of credits that an attempt left behind, by how the sweep ended them: settled, released',
    labelNames: ['end'],
  },
  eachOf('end', ['settled', 'released']),
)
const oldestHold = gauge({
  name: 'tidings_wallet_oldest_hold_seconds',
  help: 'How long the attempt that has the oldest hold of credits has had it, at the last sweep; only in the process that sweeps',
})

/** This is longer than a worker waits between the return of the log and the append of an outcome (`TAKEOVER_WAIT_MS`). */
const EVERY_MS = 15_000
const PAGE = 500
const FIRST = asWorkspaceId(NIL_ID)
const TASK = 'sweep of wallets'

/** Ends the holds of attempts that are gone, again and again, in one process at a time. */
export function startWallets(options: WalletsOptions): Readonly<{ stop: () => Promise<void> }> {
  const { log, pool, requestPool, commands, wallets, logger, everyMs = EVERY_MS, canWork, now = databaseNow } = options
  const { onSwept = (swept) => reportSwept(logger, swept) } = options
  const db = kyselyOn<ReadModels>(pool)
  const withHolds: Swept['withHolds'] = options.withHolds ?? ((page) => workspacesWithHolds(db, page))
  const onFault = (error: unknown): void => logger.warn({ err: error }, 'the holds of SMS credits could not be swept; it is tried again')
  observeWallets(requestPool, options.lowCredits)
  let logWasAway = false
  return runLeasedRounds({
    pool,
    task: TASK,
    everyMs,
    canWork,
    round: async (ending) => {
      // It stays on until the round is through: a round that ends by an error, or loses its lease, leaves it on.
      const wasAway = logWasAway
      logWasAway = true
      const swept = await sweepAll({ log, commands, wallets, withHolds, onFault, now, logWasAway: wasAway }, ending)
      logWasAway = false
      onSwept(swept)
    },
    onOther: () => onSwept(null),
    onFault,
  })
}

/** Shows one round of the sweep; null: another process sweeps. */
function reportSwept(logger: Logger, swept: SweptWallets | null): void {
  // No figure is better than one that no sweep brings up to date.
  oldestHold.remove()
  if (swept === null) return
  const { settled, released, workspaces, heldSince } = swept
  sweptHolds.inc({ end: 'settled' }, settled)
  sweptHolds.inc({ end: 'released' }, released)
  oldestHold.set(heldSince === null ? 0 : Math.max(0, (databaseNow() - Date.parse(heldSince)) / 1_000))
  if (workspaces > 0) logger.info({ settled, released, workspaces }, 'holds of SMS credits were ended whose attempt is gone')
}

/** The wallets of the installation, from their projection. */
function observeWallets(pool: Pool, lowCredits: number): void {
  const totals = sharedRead(() => walletTotals(kyselyOn<ReadModels>(pool), lowCredits))
  observe({
    name: 'tidings_wallet_low',
    help: 'Wallets with fewer SMS credits to spend than TIDINGS_LOW_CREDITS',
    read: async () => (await totals()).low,
  })
  observe({
    name: 'tidings_wallet_open_holds',
    help: 'Messages on their way that credits are held for',
    read: async () => (await totals()).openHolds,
  })
  observe({
    name: 'tidings_wallet_held_credits',
    help: 'SMS credits that are held for messages on their way',
    read: async () => (await totals()).held,
  })
}

type Sweep = Swept & Readonly<{ logWasAway: boolean }>

/** One workspace after the other. What fails in one is the fault of that one, unless the log or the database is away. */
async function sweepAll(options: Sweep, ending: AbortSignal): Promise<SweptWallets> {
  const { withHolds, onFault } = options
  let total: SweptWallets = { settled: 0, released: 0, workspaces: 0, heldSince: null }
  for (let after = FIRST; ; ) {
    const page = await withHolds({ after, limit: PAGE })
    for (const workspaceId of page) {
      if (ending.aborted) return total
      try {
        total = await sweepOne(options, workspaceId, total)
      } catch (error) {
        if (isAway(error)) throw error
        onFault(error)
      }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return total
    after = last
  }
}

async function sweepOne(options: Sweep, workspaceId: WorkspaceId, total: SweptWallets): Promise<SweptWallets> {
  const { log, commands, wallets, onFault, logWasAway, now } = options
  const swept = await sweepHolds({ log, commands, wallets, workspaceId, logWasAway, onFault }, now())
  return {
    settled: total.settled + swept.settled,
    released: total.released + swept.released,
    workspaces: total.workspaces + (swept.settled + swept.released > 0 ? 1 : 0),
    heldSince: earlier(total.heldSince, swept.heldSince),
  }
}

const earlier = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
