import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { pause } from '@tidings/async'
import { handledTo, settle, take } from './feed.ts'
import { handleFromLog } from './from-log.ts'
import { ensurePositions, faultOf, type Member, report } from './member.ts'
import { takeMessages } from './take-messages.ts'

const AFTER_FAULT_MS = 500
const FAST_MS = 250

/**
 * `ending`: takes nothing new. `leave`: the group must leave the topic. `moved`: something was taken, or all is handled. `fastMs`: a group whose pages of the
 * log take longer would keep the others waiting again.
 */
export type WorkOptions = Readonly<{ ending: AbortSignal; leave: (error: unknown) => void; moved: () => void; fastMs?: number }>

/** Handles what a member is given, and what it missed, unless it is at work. Never rejects. */
export async function workFeed(member: Member, options: WorkOptions): Promise<void> {
  if (member.isWorking) return
  member.isWorking = true
  while (!options.ending.aborted) {
    if (member.feed.untaken.length > 0) await handleTaken(member, options)
    else if (member.feed.missed.size > 0) await catchUp(member, options)
    else break
  }
  member.isWorking = false
  options.moved()
}

/** Takes together what the client fetched together, or while others were handled. */
async function handleTaken(member: Member, options: WorkOptions): Promise<void> {
  await yieldToEventLoop()
  const { feed } = member
  const taken = take(feed, member.maxBatch)
  options.moved()
  const isDone = await untilDone(member, options, async () => {
    await takeMessages(member.reading, member.membership, taken)
    return true
  })
  if (!isDone) return
  settle(feed)
  report(member)
}

/**
 * Reads the missed events from the log, a page at a time. When one page was enough, and fast, the group gets records again: the events still
 * missing are so few that they are read before the next record is taken.
 */
async function catchUp(member: Member, options: WorkOptions): Promise<void> {
  const { feed } = member
  const missed = [...feed.missed]
  const begunAt = performance.now()
  const targets = new Map(missed.flatMap(([partition, { to }]) => (to === null ? [] : [[partition, to] as const])))
  const read = () => handleFromLog(member.reading, member.membership, { targets, pages: 1 })
  const isThrough = targets.size === 0 || (await untilDone(member, options, read))
  if (!isThrough) return
  for (const [partition, was] of missed) {
    handledTo(feed, partition, was.next)
    if (feed.missed.get(partition) === was) feed.missed.delete(partition)
  }
  if (performance.now() - begunAt < (options.fastMs ?? FAST_MS)) feed.isLeftBehind = false
  report(member)
}

/**
 * The result of the first attempt that succeeds: a retryable error is retried for ever, as no event is skipped. Null where the member ends, or has
 * other partitions, before.
 */
async function untilDone<Result>(member: Member, { ending, leave }: WorkOptions, attempt: () => Promise<Result>): Promise<Result | null> {
  const { feed } = member
  for (;;) {
    try {
      const result = await member.queue(async () => {
        if (ending.aborted) return null
        await ensurePositions(member)
        return await attempt()
      })
      return member.feed === feed ? result : null
    } catch (error) {
      faultOf(member, error, leave)
    }
    await pause(AFTER_FAULT_MS, ending)
    if (ending.aborted || member.feed !== feed) return null
  }
}
