import { pause, unlessAborted } from '@tidings/async'
import { Fenced } from '@tidings/leases'
import type { Consumer as Client } from 'kafkajs'
import pTimeout from 'p-timeout'
import { unknownIn } from '../unknown-event.ts'
import { createClient, RETRY } from './client.ts'
import { eachBatch } from './each-batch.ts'
import { joined, type Member } from './member.ts'
import { Taken } from './membership.ts'
import { DeadMember, RECONCILE_MS, reconcile, writePassed } from './reconcile.ts'
import { groupIdOf, type KafkaSettings } from './settings.ts'

/** How long leaving the group may take. Without leaving, the group waits for the end of the member's session, 10 s. */
const LEAVE_MS = 3_000

/** Handles the partitions that Kafka assigns to this member, until the signal. Rejects when the member must be replaced. */
export async function runMember(member: Member, kafka: KafkaSettings, signal: AbortSignal): Promise<void> {
  const ending = new AbortController()
  const leave = (error?: unknown) => ending.abort(error ?? new Stopped())
  const onStop = () => leave()
  signal.addEventListener('abort', onStop, { once: true })
  const client = clientOf(member, kafka)
  listen(client, member, leave)
  try {
    if (signal.aborted) return
    await unlessAborted(start(client, member, { ending: ending.signal, leave }), ending.signal)
    await reconcileUntilEnd(member, { ending: ending.signal, leave, commit: commitsOf(client, member) })
  } finally {
    signal.removeEventListener('abort', onStop)
    await quit(client, member)
  }
  if (!(ending.signal.reason instanceof Stopped)) throw ending.signal.reason
}

class Stopped extends Error {}

/** How long what is passed in memory may wait for its transaction: for 2 s of it, campaigns waited though all was admitted. */
const WRITE_MS = 250

/** Finishes the running batch, then leaves the group; does not wait for a broker that does not answer. */
async function quit(client: Client, { queue, reading, membership }: Member): Promise<void> {
  const leaving = client.disconnect()
  leaving.catch(() => undefined)
  await queue(async () => undefined)
  await pTimeout(leaving, { milliseconds: LEAVE_MS }).catch((cause: unknown) => {
    reading.onFault?.(new Error(`a member left ${membership.group} without telling the broker`, { cause }))
  })
}

type Membering = Readonly<{ ending: AbortSignal; leave: (error: unknown) => void }>

/** Joins the group. If the member has ended by then, it leaves again: the client itself would stay in the group for ever. */
async function start(client: Client, member: Member, { ending, leave }: Membering): Promise<void> {
  await client.connect()
  if (!ending.aborted) await client.subscribe({ topics: [member.membership.topic], fromBeginning: true })
  // A commit of offsets a partition and fetch is as many requests as fetches: they are committed with each reconciliation.
  const run = { autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: member.membership.at.length }
  if (!ending.aborted) await client.run({ ...run, eachBatch: (payload) => eachBatch(member, payload, leave) })
  if (ending.aborted) await client.disconnect()
}

/**
 * The client fetches for 250 ms at a time, because it sends heartbeats between fetches only: that bounds how long joins and leaves take.
 * It never restarts by itself: a consumer that disconnects during a restart joins again a second later.
 */
const clientOf = ({ membership }: Member, kafka: KafkaSettings): Client =>
  createClient(kafka).consumer({
    groupId: groupIdOf(kafka, membership.group),
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 250,
    heartbeatInterval: 1_000,
    sessionTimeout: 10_000,
    rebalanceTimeout: 15_000,
    retry: { ...RETRY, restartOnFailure: async () => false },
  })

function listen(client: Client, member: Member, leave: (error: unknown) => void): void {
  const { topic } = member.membership
  client.on(client.events.GROUP_JOIN, ({ payload }) => joined(member, payload.memberAssignment[topic] ?? []))
  client.on(client.events.CRASH, ({ payload }) => leave(payload.error))
}

type Reconciling = Membering & Readonly<{ commit: () => void }>

/** Reconciles every two seconds, and writes down in between what was passed in memory; never while a batch is handled, until the member ends. */
async function reconcileUntilEnd(member: Member, { ending, leave, commit }: Reconciling): Promise<void> {
  const queued = async <T>(work: () => Promise<T>): Promise<T | null> =>
    await member.queue(work).catch((error: unknown) => {
      member.known = false
      if (error instanceof Taken || error instanceof DeadMember || unknownIn(error) !== null) leave(error)
      else if (!(error instanceof Fenced)) member.reading.onFault?.(error)
      return null
    })
  while (!ending.aborted) {
    const more = await queued(() => reconcile(member))
    // After a fault Postgres may be behind what was handled.
    if (more !== null) commit()
    for (const due = performance.now() + (more ? 0 : RECONCILE_MS); !ending.aborted && performance.now() < due; ) {
      await pause(WRITE_MS, ending)
      if (!ending.aborted) await queued(() => writePassed(member))
    }
  }
}

/**
 * Commits the offsets of what was handled, one commit at a time. Positions in Postgres decide what is handled: offsets only say where the
 * next member begins to fetch, so that a commit that fails costs some records that it drops.
 */
function commitsOf(client: Client, { membership, offsets }: Member): () => void {
  let isCommitting = false
  return () => {
    if (isCommitting || offsets.size === 0) return
    isCommitting = true
    const handled = [...offsets].map(([partition, offset]) => ({ topic: membership.topic, partition, offset }))
    offsets.clear()
    const ended = () => {
      isCommitting = false
    }
    client.commitOffsets(handled).then(ended, ended)
  }
}
