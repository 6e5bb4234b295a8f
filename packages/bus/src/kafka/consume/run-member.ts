import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { pause, unlessAborted } from '@tidings/async'
import { comparePositions, laterPosition, type Position, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import pTimeout from 'p-timeout'
import { redriveMarked } from '../../redrive.ts'
import { handledTo, isThrough, settle, take } from './feed.ts'
import { DeadMember, ensurePositions, faultOf, GroupTaken, isTrue, type Member, publishedBy, reached, report } from './member.ts'
import { cursorOf, handleFromLog, type Targets, takeMessages } from './take-messages.ts'
import type { Joined, TopicReader } from './topic-reader.ts'

/** How long what is passed in memory may wait for its transaction: for 2 s of it, campaigns waited though all was admitted. */
const WRITE_MS = 250
/** How long what is being handled may keep the process in the group of Kafka. */
const FINISH_MS = 2_000

class Stopped extends Error {}

/** Handles what the topic's reader gives to this member, until the signal. Rejects when the member must be replaced. */
export async function runMember(member: Member, topic: TopicReader, signal: AbortSignal): Promise<void> {
  const ending = new AbortController()
  const leave = (error?: unknown) => {
    ending.abort(error ?? new Stopped())
    if (error instanceof DeadMember) joined.fail(error)
  }
  const onStop = () => leave()
  signal.addEventListener('abort', onStop, { once: true })
  const moved = () => joined.moved()
  const work = () => void workFeed(member, { ending: ending.signal, leave, moved })
  const joined = topic.join({ member, work, leave })
  if (signal.aborted) leave()
  try {
    await unlessAborted(joined.started, ending.signal)
    await reconcileUntilEnd(member, { ending: ending.signal, leave })
  } finally {
    signal.removeEventListener('abort', onStop)
    await quit(member, joined)
  }
  if (!(ending.signal.reason instanceof Stopped)) throw ending.signal.reason
}

/**
 * Finishes the running batch, then leaves. It does not wait for a broker that does not answer. It waits last for a handler that hangs, when
 * other processes already have the partitions, which all groups share.
 */
async function quit({ queue, reading, membership }: Member, joined: Joined): Promise<void> {
  const finished = queue(async () => undefined)
  await pTimeout(finished, { milliseconds: FINISH_MS, fallback: () => undefined })
  await joined.leave().catch((cause: unknown) => {
    reading.onFault?.(new Error(`the process left the group of ${membership.topic} without telling the broker`, { cause }))
  })
  await finished
}

type Membering = Readonly<{ ending: AbortSignal; leave: (error: unknown) => void }>

/** Reconciles every two seconds, and writes down in between what was passed in memory; never while something is handled, until the member ends. */
async function reconcileUntilEnd(member: Member, { ending, leave }: Membering): Promise<void> {
  const queued = async <T>(work: () => Promise<T>): Promise<T | null> =>
    await member.queue(work).catch((error: unknown) => {
      faultOf(member, error, leave)
      return null
    })
  while (!ending.aborted) {
    const more = await queued(() => reconcile(member))
    for (const due = performance.now() + (more ? 0 : RECONCILE_MS); !ending.aborted && performance.now() < due; ) {
      await pause(WRITE_MS, ending)
      if (!ending.aborted) await queued(() => writePassed(member))
    }
  }
}

const AFTER_FAULT_MS = 500
const FAST_MS = 250

/**
 * `ending`: takes nothing new. `leave`: the group must leave the topic. `moved`: something was taken, or all is handled. `fastMs`: a group whose pages of the
 * log take longer would keep the others waiting again.
 */
type WorkOptions = Readonly<{ ending: AbortSignal; leave: (error: unknown) => void; moved: () => void; fastMs?: number }>

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

/** The time between two reconciliations of a member. */
const RECONCILE_MS = 2_000
/** A partition that was published to and delivers nothing for so long is read from the log. */
const SILENT_MS = 10_000
/**
 * The client can lose a partition without an error (kafkajs #1616), so it is replaced after this time, and after the log had to be read
 * this often. One read of the log is normal: a group that fell back, for example after a restore, needs it.
 */
const DEAD_MS = 60_000
const DEAD_RESCUES = 3
/** How much of the log one reconciliation reads, some seconds: what was given waits meanwhile. */
const PAGES = 10

/**
 * Does what no record triggers: moves partitions that have nothing new to the relay's position, reads from the log what was published to
 * partitions that stay silent (retention, a lost topic, a stuck client), and redrives marked dead letters. True when there is more to read.
 */
export async function reconcile(member: Member): Promise<boolean> {
  const { reading, membership, assigned } = member
  // Postgres may have lost its last commits.
  if (member.known && !(await isTrue(reading.pool, membership, assigned))) member.known = false
  await ensurePositions(member)
  const published = await publishedBy(reading.pool, membership)
  if (published === null) throw new GroupTaken(membership.group)
  const isBehind = (partition: number) => comparePositions(published.last[partition] ?? START, reached(membership, partition)) > 0
  await passQuiet(
    member,
    new Map(assigned.map((partition) => [partition, isBehind(partition) ? reached(membership, partition) : published.at])),
  )
  const through = await readUndelivered(member, assigned.filter(isBehind), published.last)
  await redriveMarked(reading)
  member.behind = assigned.some(isBehind)
  report(member)
  return !through
}

/**
 * A late member does not get what was published before it came; the second round finds what the relay had sent and not noted by then. Events that no
 * partition of a member delivers for long will not come: its client has lost them, and must be replaced.
 */
async function readUndelivered(member: Member, behind: readonly number[], last: readonly Position[]): Promise<boolean> {
  const { reading, membership, rescues } = member
  const read = async (partitions: readonly number[]): Promise<boolean> => {
    const targets = new Map(partitions.map((partition) => [partition, last[partition] ?? START]))
    return targets.size === 0 || (await handleFromLog(reading, membership, { targets, pages: PAGES }))
  }
  if (member.lateRounds > 0) {
    const through = await read(behind)
    if (through) member.lateRounds -= 1
    return through
  }
  const silent = behind.filter((partition) => isSilent(member, partition, SILENT_MS))
  if (silent.length === 0) return true
  const { topic, group } = membership
  reading.onFault?.(new Error(`${topic} does not deliver what partition ${silent.join(', ')} was given: ${group} reads it from the log`))
  if (!(await read(silent))) return false
  for (const partition of silent) rescues.set(partition, (rescues.get(partition) ?? 0) + 1)
  const dead = silent.filter((partition) => isSilent(member, partition, DEAD_MS) && (rescues.get(partition) ?? 0) >= DEAD_RESCUES)
  if (dead.length > 0)
    throw new DeadMember(`${topic} has delivered nothing from ${dead.length} partitions for a minute; the process joins again`)
  return true
}

/** Whether a partition has delivered nothing for so long, although the member has handled all that it was given of it. */
function isSilent({ feed, lastReceivedAt }: Member, partition: number, ms: number): boolean {
  return isThrough(feed, partition) && performance.now() - (lastReceivedAt.get(partition) ?? 0) > ms
}

/**
 * Writes the member's position after events that do not concern the consumer. Other processes read from it how far the group is, and campaigns
 * begin messages only while the senders are not far behind.
 */
export async function writePassed(member: Member): Promise<void> {
  const { known, membership } = member
  if (!known || membership.passed.size === 0) return
  await passQuiet(member, membership.passed)
  membership.passed.clear()
}

async function passQuiet({ reading, membership }: Member, to: Targets): Promise<void> {
  const further = [...to].filter(([partition, position]) => comparePositions(position, membership.at[partition] ?? START) > 0)
  if (further.length === 0) return
  const end = further.map(([, position]) => position).reduce(laterPosition)
  const cursor = cursorOf(membership, new Map(further))
  await transaction(reading.pool, (tx) => cursor.move(tx, end))
  cursor.moved(end)
}
