import { pause, unlessAborted } from '@tidings/async'
import pTimeout from 'p-timeout'
import { faultOf, type Member } from './member.ts'
import { DeadMember } from './membership.ts'
import { RECONCILE_MS, reconcile, writePassed } from './reconcile.ts'
import type { Joined, TopicReader } from './topic-reader.ts'
import { workFeed } from './work-feed.ts'

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
