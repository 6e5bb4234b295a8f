import { pause, unlessAborted } from '@tidings/async'
import { type EventLog, UnknownEventType } from '@tidings/codec'
import { asMessageId } from '@tidings/domain'
import { Fenced, type Job, type Lease } from '@tidings/jobs'
import { isRetryableHere } from '../is-retryable-here.ts'
import { existingHistory, type MessageHistory } from './history.ts'

const LOOK_AGAIN_MS = 1_000

type Reading = Readonly<{ log: EventLog; lease: Lease; signal: AbortSignal }>

/**
 * `isSettled` false: an earlier worker of the job may be about to append an outcome, so the history must be read again later. That is the
 * case after a takeover, and after a time in which the log could not be read, because no process could append to it either.
 */
export type Look = Readonly<{ history: MessageHistory; isSettled: boolean }>

/**
 * Reads the history from the log, and keeps the lease of the job until it can. If it is stopped before the history is settled, it rejects with `Fenced`: the
 * job is left to its lease, so that its next owner knows that it takes the job over.
 */
export async function settledHistory({ log, lease, signal }: Reading, job: Job): Promise<Look> {
  const kept = lease.keep()
  let isSettled = !job.takenOver
  try {
    while (!signal.aborted && !kept.lost()) {
      try {
        const history = await unlessAborted(existingHistory(log, job.workspaceId, asMessageId(job.payload)), signal)
        if (history !== null) return { history, isSettled }
      } catch (error) {
        // A newer process can read it: the job is not kept from it.
        if (error instanceof UnknownEventType && !isSettled) break
        if (!isRetryableHere(error) || error instanceof UnknownEventType) throw error
        isSettled = false
        await pause(LOOK_AGAIN_MS, signal)
      }
    }
    if (isSettled) signal.throwIfAborted()
    throw new Fenced('the history could not be read while the job was ours')
  } finally {
    kept.end()
  }
}
