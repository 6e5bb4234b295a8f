import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGroup } from '../../../src/checkpoint.ts'
import { assign, createMember, DeadMember, ensurePositions, type Member, openMembership } from '../../../src/kafka/consume/member.ts'
import { reconcile, workFeed, writePassed } from '../../../src/kafka/consume/run-member.ts'
import { takeMessages } from '../../../src/kafka/consume/take-messages.ts'
import { messageOf, outgoing, readRecord } from '../../../src/kafka/record.ts'
import { takeLead } from '../../../src/kafka/relay/relay-lease.ts'
import { partitionOf } from '../../../src/partition.ts'
import { type Effects, effectsIn, GROUP } from '../../testing/effects.ts'
import { type LogOfDeliveries, logOfDeliveries, WORKSPACE } from '../../testing/log-of-deliveries.ts'

// Kafka delivers nothing to this member: the relay's row alone says what was published.
const TOPIC = 'rounds.events'
const START = { commit: -1n, prepare: -1n }

let db: TestDatabase
let effects: Effects
let made: LogOfDeliveries
let faults: string[]
beforeAll(async () => {
  db = await testDatabase()
  effects = await effectsIn(db.pool)
})
afterAll(() => db.drop())
beforeEach(async () => {
  await effects.clear()
  made = logOfDeliveries()
  faults = []
})

/** A member of two partitions, of which the first has been silent for so long. */
async function memberSilentFor(ms: number): Promise<Member> {
  await createGroup(db.pool, GROUP, START)
  await takeLead(db.pool, {
    topic: TOPIC,
    owner: '0192b1f0-0000-7000-8000-0000000000aa',
    types: ['MessageDelivered'],
    partitions: 2,
    head: START,
  })
  const membership = await openMembership(db.pool, { group: GROUP, topic: TOPIC, types: ['MessageDelivered'] })
  if ('wait' in membership) throw new Error(membership.wait)
  const onFault = (error: unknown) => faults.push(String(error))
  const reading = { consumer: effects.noting(), log: made.log, pool: db.pool, onFault, signal: new AbortController().signal }
  const tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null, unknown: null }
  const member = createMember({ reading, membership, tally, maxBatch: 100 })
  assign(member, [0, 1])
  for (const partition of [0, 1]) member.lastReceivedAt.set(partition, performance.now() - ms)
  return member
}

const publishedUpTo = async (commit: bigint) => {
  await db.pool.query('update ops.relay set position_commit = $1, position_prepare = 0', [commit])
  await db.pool.query('update ops.relay_partition set position_commit = $1, position_prepare = 0', [commit])
}

describe('a member that receives what concerns no effect', () => {
  const contactIn = (partition: number): string => {
    const contact = [...'abcdefgh'].find((one) => partitionOf(`${WORKSPACE}:${one}`, 2) === partition)
    if (contact === undefined) throw new Error(`no contact is in partition ${partition}`)
    return contact
  }
  /** The member is delivered the whole log. */
  const take = async ({ reading, membership }: Member) => {
    const { events } = await made.store.readAll('start', 100)
    const slices = events.map((event) => {
      const record = outgoing(event)
      const partition = partitionOf(record.key, 2)
      const { headers = {}, value } = messageOf(record, { partition, previous: START, relay: membership.relay, withValue: true })
      const bytes = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(String(text))]))
      return { partition, records: [{ offset: '0', record: readRecord({ headers: bytes, value: value as Buffer }) }] }
    })
    await takeMessages(reading, membership, slices)
    return events.map(({ position }) => position.commit)
  }
  const written = async () =>
    (await db.pool.query<{ commit: bigint }>('select position_commit as commit from ops.consumer_partition order by partition')).rows.map(
      ({ commit }) => commit,
    )

  test('writes it down with the next effect, whatever partition that is in, or a moment later', async () => {
    const member = await memberSilentFor(0)
    await ensurePositions(member)
    await made.deliver(1, { contact: contactIn(0) })
    await made.deliver(2, { type: 'MessageComplained', contact: contactIn(1) })
    const [first, second] = await take(member)
    expect(await written()).toEqual([first, second])
    await made.deliver(3, { type: 'MessageComplained', contact: contactIn(0) })
    const third = (await take(member)).at(-1)
    expect(await written()).toEqual([first, second])
    await writePassed(member)
    expect(await written()).toEqual([third, second])
    expect(await effects.all()).toHaveLength(1)
    expect(await reconcile(member)).toBe(false)
  })
})

describe('a member that receives nothing', () => {
  test('waits, while that may be the broker’s leisure', async () => {
    const member = await memberSilentFor(1_000)
    await made.deliverAll(1, 3)
    await publishedUpTo((await made.log.head()).commit)
    expect(await reconcile(member)).toBe(false)
    expect(await effects.all()).toEqual([])
    expect(member.tally.caughtUp).toBe(false)
  })

  test('reads from the log what was published for it ten seconds ago', async () => {
    const member = await memberSilentFor(11_000)
    await made.deliverAll(1, 3)
    await publishedUpTo((await made.log.head()).commit)
    expect(await reconcile(member)).toBe(false)
    expect(await effects.all()).toHaveLength(3)
    expect(faults[0]).toMatch(/does not deliver what partition 0, 1 was given/)
    await reconcile(member)
    expect(member.tally.caughtUp).toBe(true)
  })

  test('reads a long gap in pieces, with batches in between', async () => {
    const member = await memberSilentFor(11_000)
    await made.deliverAll(1, 10_001)
    await publishedUpTo((await made.log.head()).commit)
    expect(await reconcile(member)).toBe(true)
    expect(await effects.all()).toHaveLength(10_000)
    expect(await reconcile(member)).toBe(false)
    expect(await effects.all()).toHaveLength(10_001)
  })

  test('is thrown away after a minute in which the log had to be read three times: its client may have lost its partitions without a word', async () => {
    const member = await memberSilentFor(61_000)
    for (let n = 1; n <= 3; n++) {
      await made.deliver(n)
      await publishedUpTo((await made.log.head()).commit)
      if (n < 3) expect(await reconcile(member)).toBe(false)
    }
    await expect(reconcile(member)).rejects.toThrow(DeadMember)
    expect(await effects.all()).toHaveLength(3)
  })

  test('keeps its client where it reads the log once, as after its positions were restored', async () => {
    const member = await memberSilentFor(61_000)
    await made.deliverAll(1, 3)
    await publishedUpTo((await made.log.head()).commit)
    expect(await reconcile(member)).toBe(false)
    expect(await reconcile(member)).toBe(false)
    expect(await effects.all()).toHaveLength(3)
  })

  test('is left alone when nothing was published: its places follow the relay', async () => {
    const member = await memberSilentFor(61_000)
    await made.deliver(1, { type: 'MessageComplained' })
    const { commit } = await made.log.head()
    await db.pool.query('update ops.relay set position_commit = $1, position_prepare = 0', [commit])
    expect(await reconcile(member)).toBe(false)
    expect(member.membership.at).toEqual([
      { commit, prepare: 0n },
      { commit, prepare: 0n },
    ])
    expect(member.tally.caughtUp).toBe(true)
  })

  test('notices that Postgres fell back, and begins again from there', async () => {
    const member = await memberSilentFor(11_000)
    await made.deliverAll(1, 3)
    await publishedUpTo((await made.log.head()).commit)
    await reconcile(member)
    await db.pool.query('begin; delete from effect; update ops.consumer_partition set position_commit = -1, position_prepare = -1; commit')
    await reconcile(member)
    expect(await effects.all()).toHaveLength(3)
  })

  test('keeps its places, and what its consumer keeps, while others move partitions that are theirs', async () => {
    const member = await memberSilentFor(0)
    const opened: unknown[] = []
    const consumer = { ...member.reading.consumer, opened: (head: unknown) => void opened.push(head) }
    const sharing = createMember({ ...member, reading: { ...member.reading, consumer } })
    assign(sharing, [0])
    await reconcile(sharing)
    await db.pool.query('update ops.consumer_partition set position_commit = 7 where partition = 1')
    await reconcile(sharing)
    expect(opened).toHaveLength(1)
  })

  test('that came late reads at once what was published before, also where partitions are assigned anew meanwhile', async () => {
    const member = await memberSilentFor(0)
    await made.deliverAll(1, 3)
    await publishedUpTo((await made.log.head()).commit)
    member.lateRounds = 2
    assign(member, [0, 1])
    await reconcile(member)
    expect(await effects.all()).toHaveLength(3)
    expect(faults).toEqual([])
  })

  test('leaves a group that reads the log by now', async () => {
    const member = await memberSilentFor(0)
    await db.pool.query('update ops.consumer_partition set epoch = epoch + 1')
    await expect(reconcile(member)).rejects.toThrow('is read in another way now')
  })
})

describe('a member that was left behind', () => {
  const leftBehindWith = async (fastMs: number): Promise<Member> => {
    const member = await memberSilentFor(0)
    await made.deliverAll(1, 3)
    const { commit, prepare } = await made.log.head()
    member.feed.isLeftBehind = true
    for (const partition of [0, 1]) member.feed.missed.set(partition, { to: { commit, prepare }, next: 3n, since: '0' })
    await workFeed(member, { ending: new AbortController().signal, leave: () => undefined, moved: () => undefined, fastMs })
    expect(await effects.all()).toHaveLength(3)
    expect(member.feed.missed.size).toBe(0)
    return member
  }

  test('is given records again when it has read what it missed', async () => {
    expect((await leftBehindWith(Number.POSITIVE_INFINITY)).feed).toMatchObject({ isLeftBehind: false })
  })

  test('goes on from the log where that takes so long that the others would wait again', async () => {
    expect((await leftBehindWith(0)).feed).toMatchObject({ isLeftBehind: true })
  })
})
