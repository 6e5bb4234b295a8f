import { setTimeout as sleep } from 'node:timers/promises'
import { Fenced } from '@tidings/leases'
import type { EachBatchPayload } from 'kafkajs'
import { unknownIn } from '../unknown-event.ts'
import type { Reading } from './from-log.ts'
import { ensurePositions, type Member, report } from './member.ts'
import { Taken } from './membership.ts'
import { type Slice, takeMessages } from './take-messages.ts'

const AFTER_FAULT_MS = 500

/**
 * Handles what the client fetched from one partition, in slices, and resolves what is done. Never throws what a handler throws: the
 * client would stop for good, or deliver again and again. A retryable error is retried here, with heartbeats; only a heartbeat's own error,
 * which tells the client that its group rebalances, is thrown.
 */
export async function eachBatch(member: Member, payload: EachBatchPayload, leave: (error: unknown) => void): Promise<void> {
  const { batch, resolveOffset, heartbeat, isRunning, isStale } = payload
  const { partition, messages } = batch
  // Its error comes again from the heartbeat after the slice.
  const trySendHeartbeat = () => heartbeat().catch(() => undefined)
  for (let from = 0; from < messages.length; from += member.maxBatch) {
    const slice = messages.slice(from, from + member.maxBatch)
    while (!(await isTaken({ ...member.reading, heartbeat: trySendHeartbeat }, member, { slice: { partition, messages: slice }, leave }))) {
      await heartbeat()
      await sleep(AFTER_FAULT_MS)
      if (!isRunning() || isStale()) return
    }
    const last = slice.at(-1)
    if (last === undefined) return
    resolveOffset(last.offset)
    member.lastReceivedAt.set(partition, performance.now())
    member.waiting.set(partition, Math.max(0, Number(BigInt(batch.highWatermark) - BigInt(last.offset)) - 1))
    report(member, last.timestamp)
    await heartbeat()
    if (!isRunning() || isStale()) return
  }
}

/** False: retry. */
async function isTaken(
  reading: Reading,
  member: Member,
  { slice, leave }: Readonly<{ slice: Slice; leave: (error: unknown) => void }>,
): Promise<boolean> {
  try {
    await member.queue(async () => {
      await ensurePositions(member)
      await takeMessages(reading, member.membership, slice)
    })
    return true
  } catch (error) {
    member.known = false
    if (error instanceof Taken || unknownIn(error) !== null) leave(error)
    else if (!(error instanceof Fenced)) member.reading.onFault?.(error)
    return false
  }
}
