import type { KeyObject } from 'node:crypto'
import { pause } from '@tidings/async'
import { databaseNow } from '@tidings/async/clock'
import { OperationFailed } from '@tidings/config'
import { type Batch, comparePositions, type Position } from '@tidings/event-store'
import {
  type Anchor,
  anchorNewestHead,
  assertNotAhead,
  assertTreeWhole,
  growTree,
  HEAD_INTERVAL,
  type HeadInterval,
  openLogKey,
  signDueHead,
  signHeadOnTheWay,
} from '@tidings/evidence/proof'
import type { Logger } from '@tidings/observability/log'
import { gauge } from '@tidings/observability/metrics'
import type { Pool } from 'pg'
import { runLeasedRounds } from '../leased-rounds.ts'
import { keepAnchoring } from './keep-anchoring.ts'

export type ProofOptions = Readonly<{
  pool: Pool
  /** The log as it is stored. */
  store: Readonly<{ readAll: (after: Position | 'start', limit: number) => Promise<Batch>; head: () => Promise<Position> }>
  keyRing: Readonly<{ installationSecret: () => Promise<KeyObject> }>
  /** Null: heads are kept in the database alone. */
  anchor: Anchor | null
  heads?: HeadInterval
  /** Whether this process has the master key in force. */
  canWork: () => boolean
  everyMs?: number
  /** The delay after the first failure of the anchor; it doubles, up to an hour. Default 30 s. */
  retryMs?: number
  /** The anchor may take this long before it is a fault. Default 30 s. */
  answerMs?: number
  now?: () => Date
  logger: Logger
  /** Called with what keeps the log from being proven or anchored, once for each message; with null when that is over. By default the metric and the log are. */
  onFault?: (error: unknown) => void
}>

const faulty = gauge({
  name: 'tidings_log_proof_fault',
  help: 'Whether the tree over the log cannot be continued, signed or anchored; in the process that keeps it. The log line says why',
})

/** The tree grows this often. A caller that needs it at the end of the log, such as an export, grows it first. */
const EVERY_MS = 10_000
/** While the log does not grow, its last event is compared with the tree this often. */
const COMPARE_MS = 60_000
const RETRY_MS = 30_000
const ANSWER_MS = 30_000
/** The pause between two pages of 2 000 events, while the tree is far behind, so that the other consumers of the process go on. */
const PAGE_PAUSE_MS = 20

/**
 * Keeps the tree over the log at its end, signs heads of it and anchors them; in one process at a time. A round is right in two at once:
 * what one adds or signs, the other finds.
 */
export function startProof({
  pool,
  store,
  keyRing,
  anchor,
  heads = HEAD_INTERVAL,
  canWork,
  everyMs = EVERY_MS,
  retryMs = RETRY_MS,
  answerMs = ANSWER_MS,
  now = () => new Date(databaseNow()),
  logger,
  onFault = (error) => reportFault(logger, error),
}: ProofOptions): Readonly<{ stop: () => Promise<void> }> {
  faulty.set(0)
  let fault: string | null = null
  const report = (error: unknown): void => {
    const message = error === null ? null : String(error)
    if (message !== fault) onFault(error)
    fault = message
  }
  const anchorNewest = keepAnchoring({
    retryMs,
    answerMs,
    anchor: async () => {
      if (anchor !== null) await anchorNewestHead(pool, await openLogKey(keyRing), anchor)
    },
  })
  /** The end of the log when all of it was last proven and signed, and when that was. */
  let proven: Readonly<{ end: Position; at: number }> | null = null
  const rounds = runLeasedRounds({
    pool,
    task: 'log proof',
    everyMs,
    canWork,
    round: async (ending) => {
      const at = performance.now()
      const end = await store.head()
      const isProven = proven !== null && at - proven.at < COMPARE_MS && comparePositions(end, proven.end) === 0
      if (isProven) {
        anchorNewest(at)
        return report(null)
      }
      proven = null
      const key = await openLogKey(keyRing)
      const onProgress = async (): Promise<void> => {
        await signHeadOnTheWay(pool, key, heads, now)
        await pause(PAGE_PAUSE_MS, ending)
      }
      await growTree({ pool, store, signal: ending, onProgress })
      const isSigned = await signDueHead(pool, key, heads, now)
      await assertTreeWhole(pool)
      anchorNewest(performance.now())
      await assertNotAhead(pool)
      if (isSigned && !ending.aborted) proven = { end, at }
      report(null)
    },
    // The process that works says what is wrong.
    onOther: () => report(null),
    onFault: report,
  })
  return {
    stop: async () => {
      await rounds.stop()
      await anchor?.close()
    },
  }
}

function reportFault(logger: Logger, error: unknown): void {
  faulty.set(error === null ? 0 : 1)
  if (error === null) logger.info('the log is proven and anchored again')
  // Written for the operator: what was signed or anchored contradicts the log.
  else if (error instanceof OperationFailed) logger.error(error.message)
  else logger.warn({ err: error }, 'the log could not be proven or anchored; it is tried again')
}
