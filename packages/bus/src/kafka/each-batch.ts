import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Fenced } from '@tidings/leases'
import type { EachBatchPayload } from 'kafkajs'
import { unknownIn } from '../unknown-event.ts'
import { ensurePositions, type Member, report } from './member.ts'
import { Taken } from './membership.ts'
import { type Slice, takeMessages } from './take-messages.ts'

const AFTER_FAULT_MS = 500

/**
 * Handles what the client fetched from one partition, in slices, and resolves what is done. The client calls it for all partitions at once.
 * Never throws what a handler throws: the client would stop for good, or deliver again and again. A retryable error is retried here, with
 * heartbeats; only a heartbeat's own error, which tells the client that its group rebalances, is thrown.
 */
export async function eachBatch(member: Member, payload: EachBatchPayload, leave: (error: unknown) => void): Promise<void> {
  const { batch, resolveOffset, heartbeat, isRunning, isStale } = payload
  const { partition, messages } = batch
  // Its error comes again from the heartbeat after the slice.
  const trySendHeartbeat = () => heartbeat().catch(() => undefined)
  const taking = { leave, heartbeat: trySendHeartbeat }
  for (let from = 0; from < messages.length; from += member.maxBatch) {
    const slice = messages.slice(from, from + member.maxBatch)
    while (!(await takeTogether(member, { partition, messages: slice }, taking))) {
      await heartbeat()
      await sleep(AFTER_FAULT_MS)
      if (!isRunning() || isStale()) return
    }
    const last = slice.at(-1)
    if (last === undefined) return
    resolveOffset(last.offset)
    member.offsets.set(partition, String(BigInt(last.offset) + 1n))
    member.lastReceivedAt.set(partition, performance.now())
    member.waiting.set(partition, Math.max(0, Number(BigInt(batch.highWatermark) - BigInt(last.offset)) - 1))
    report(member, last.timestamp)
    await heartbeat()
    if (!isRunning() || isStale()) return
  }
}

type Taking = Readonly<{ leave: (error: unknown) => void; heartbeat: () => Promise<void> }>

/** What the client fetched at once, or while others were handled, is taken at once, up to `maxBatch`. False: retry. */
function takeTogether(member: Member, slice: Slice, taking: Taking): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  member.fetched.push({ slice, resolve })
  member.queue(() => takeFetched(member, taking)).catch(reject)
  return promise
}

/** Called once for each slice: the first call takes those of the others too. */
async function takeFetched(member: Member, taking: Taking): Promise<void> {
  if (member.fetched.length === 0) return
  await yieldToEventLoop()
  const taken = member.fetched.splice(0, within(member.maxBatch, member.fetched))
  const slices = taken.map(({ slice }) => slice)
  let isDone = false
  try {
    isDone = await isTaken(member, slices, taking)
  } finally {
    for (const { resolve } of taken) resolve(isDone)
  }
}

/** How many of the first slices have at most so many messages together; never none. */
function within(limit: number, fetched: Member['fetched']): number {
  let messages = 0
  const beyond = fetched.findIndex(({ slice }, n) => {
    messages += slice.messages.length
    return n > 0 && messages > limit
  })
  return beyond === -1 ? fetched.length : beyond
}

async function isTaken(member: Member, slices: readonly Slice[], { leave, heartbeat }: Taking): Promise<boolean> {
  const { reading, membership } = member
  try {
    await ensurePositions(member)
    await takeMessages({ ...reading, heartbeat }, membership, slices)
    return true
  } catch (error) {
    member.known = false
    if (error instanceof Taken || unknownIn(error) !== null) leave(error)
    else if (!(error instanceof Fenced)) reading.onFault?.(error)
    return false
  }
}
