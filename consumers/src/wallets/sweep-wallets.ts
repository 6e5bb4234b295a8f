import { databaseNow } from '@tidings/clock'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { sweepHolds, type Wallets } from '@tidings/wallet'
import type { Pool } from 'pg'
import { isAway } from '../is-away.ts'
import { runLeasedRounds } from '../leased-rounds.ts'

/** What one round over all workspaces has ended. `heldSince`: of the oldest hold that is left, null where none is. */
export type SweptWallets = Readonly<{ settled: number; released: number; workspaces: number; heldSince: string | null }>

export type SweepOptions = Readonly<{
  log: EventLog
  pool: Pool
  runner: CommandRunner
  wallets: Wallets
  /** The workspaces that credits are held in, in the order of their ids, after one. */
  withHolds: (page: Readonly<{ after: string; limit: number }>) => Promise<readonly string[]>
  /** Whether this process has the master key in force. */
  canWork: () => boolean
  /** Hears of each round; of null where another process sweeps. */
  onSwept?: (swept: SweptWallets | null) => void
  onFault?: (error: unknown) => void
  /** The pause between two rounds. */
  everyMs?: number
  /** The clock of this process, in ms since 1970. */
  now?: () => number
}>

/** This is longer than a worker waits between the return of the log and the append of an outcome (`TAKEOVER_WAIT_MS`). */
const EVERY_MS = 15_000
const PAGE = 500
const FIRST = '00000000-0000-0000-0000-000000000000'
const TASK = 'sweep of wallets'

/** Ends the holds of attempts that are gone, again and again, in one process at a time. */
export function sweepWallets(options: SweepOptions): Readonly<{ stop: () => Promise<void> }> {
  const { pool, everyMs = EVERY_MS, canWork, onSwept, onFault } = options
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
      const swept = await sweepAll({ ...options, logWasAway: wasAway }, ending)
      logWasAway = false
      onSwept?.(swept)
    },
    onOther: () => onSwept?.(null),
    onFault: (error) => onFault?.(error),
  })
}

type Sweep = SweepOptions & Readonly<{ logWasAway: boolean }>

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
        onFault?.(error)
      }
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return total
    after = last
  }
}

async function sweepOne(options: Sweep, workspaceId: string, total: SweptWallets): Promise<SweptWallets> {
  const { log, runner, wallets, onFault, logWasAway, now = databaseNow } = options
  const swept = await sweepHolds({ log, commands: runner, wallets, workspaceId, logWasAway, ...(onFault && { onFault }) }, now())
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
