import { pause, unlessAborted } from '@tidings/async'
import { Fenced } from '@tidings/leases'
import type { Consumer as Client } from 'kafkajs'
import pTimeout from 'p-timeout'
import { unknownIn } from '../unknown-event.ts'
import { createClient, RETRY } from './client.ts'
import { eachBatch } from './each-batch.ts'
import { Taken } from './membership.ts'
import { Dead, lookRound, ROUND_MS } from './rounds.ts'
import { groupIdOf, type KafkaSettings } from './settings.ts'
import { joined, type Member } from './state.ts'

/** How long a word to the coordinator may take. Without it the group waits for the end of the member's session, 10 s. */
const LEAVE_MS = 3_000

/** Handles the partitions that Kafka gives to this member, until the signal or until the member must be thrown away: then it rejects. */
export async function beMember(member: Member, kafka: KafkaSettings, signal: AbortSignal): Promise<void> {
  const ending = new AbortController()
  const leave = (error?: unknown) => ending.abort(error ?? new Stopped())
  const onStop = () => leave()
  signal.addEventListener('abort', onStop, { once: true })
  const client = clientOf(member, kafka)
  listen(client, member, leave)
  try {
    if (signal.aborted) return
    await unlessAborted(start(client, member, { ending: ending.signal, leave }), ending.signal)
    await goRound(member, ending.signal, leave)
  } finally {
    signal.removeEventListener('abort', onStop)
    await quit(client, member)
  }
  if (!(ending.signal.reason instanceof Stopped)) throw ending.signal.reason
}

class Stopped extends Error {}

/** The batch in hand is finished; a broker that does not answer is not waited for. */
async function quit(client: Client, { inTurn, reading, membership }: Member): Promise<void> {
  const leaving = client.disconnect()
  leaving.catch(() => undefined)
  await inTurn(async () => undefined)
  await pTimeout(leaving, { milliseconds: LEAVE_MS }).catch((cause: unknown) => {
    reading.onFault?.(new Error(`a member left ${membership.group} without a word to the broker`, { cause }))
  })
}

type Membering = Readonly<{ ending: AbortSignal; leave: (error: unknown) => void }>

/** Joins the group. If nobody waits any more when that is done, it is undone: the client itself would stay in the group for ever. */
async function start(client: Client, member: Member, { ending, leave }: Membering): Promise<void> {
  await client.connect()
  if (!ending.aborted) await client.subscribe({ topics: [member.membership.topic], fromBeginning: true })
  if (!ending.aborted) await client.run({ eachBatchAutoResolve: false, eachBatch: (payload) => eachBatch(member, payload, leave) })
  if (ending.aborted) await client.disconnect()
}

/**
 * The client fetches for 250 ms at a time, because heartbeats go out between fetches only: it decides how quick joins and leaves are.
 * It never restarts by itself: a consumer that is told to disconnect in the middle of that joins again a second later.
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

/** One round after the other, in turn with the batches, until the member ends. */
async function goRound(member: Member, ending: AbortSignal, leave: (error: unknown) => void): Promise<void> {
  while (!ending.aborted) {
    const more = await member
      .inTurn(() => lookRound(member))
      .catch((error: unknown) => {
        member.known = false
        if (error instanceof Taken || error instanceof Dead || unknownIn(error) !== null) leave(error)
        else if (!(error instanceof Fenced)) member.reading.onFault?.(error)
        return false
      })
    if (!more) await pause(ROUND_MS, ending)
  }
}
