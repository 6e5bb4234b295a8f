import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import type { Admin } from 'kafkajs'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { ConsumerOptions, RunningConsumer, Transport } from '../../src/port.ts'
import { type Delivered, type Effects, effectsIn, numbers } from './effects.ts'
import { type KafkaWorld, kafkaWorld } from './kafka-world.ts'
import { type LogOfDeliveries, logOfDeliveries } from './log-of-deliveries.ts'

/** `failing`: whether Postgres fails the group for now. `before`: called with what is about to be noted. */
type Changes = Partial<ConsumerOptions & { failing: () => boolean; before: (events: readonly Delivered[]) => Promise<unknown> | undefined }>

/** Several groups that note under their names what they handle, a topic of their own, and a relay of it. */
export type GroupsWorld = Readonly<{
  db: TestDatabase
  effects: Effects
  made: LogOfDeliveries
  kafka: KafkaWorld
  admin: Admin
  /** What went wrong, after the name of the group, apart from what was only late. */
  faults: string[]
  run: (transport: Transport, group: string, changes?: Changes) => RunningConsumer
  stopAll: () => Promise<void>
  /** Delivers events of five contacts in turn. */
  deliverAll: (from: number, to: number) => Promise<void>
  /** The numbers that the group has noted. */
  noted: (group: string) => Promise<readonly number[]>
  /** Waits until the group has noted these numbers, and checks that each came once, those of a contact in their order. */
  handles: (group: string, last: number) => Promise<void>
  /** Waits until the relay is at the end of the log. */
  published: () => Promise<void>
  groupIds: () => Promise<readonly string[]>
  /** Counts the members of all groups of Kafka. */
  members: () => Promise<number>
  /** The committed offset of each partition. */
  offsets: (groupId: string) => Promise<readonly string[]>
}>

const CONTACTS = 5
/** What a consumer says in addition where a relay or a broker stands still for some seconds. */
const LATE = /The consumer waits: |does not deliver what partition|without telling the broker/

/** One for each test of the surrounding `describe`. */
export function eachGroupsWorld(broker: string | null): () => GroupsWorld {
  let db: TestDatabase
  let effects: Effects
  let world: GroupsWorld
  beforeAll(async () => {
    db = await testDatabase()
    effects = await effectsIn(db.pool)
  })
  afterAll(() => db.drop())
  beforeEach(async () => {
    await effects.clear()
    world = await groupsWorld(broker ?? '', { db, effects })
  })
  afterEach(async () => {
    await world.stopAll()
    await world.admin.disconnect()
    await world.kafka.close()
    await world.made.log.close()
  })
  return () => world
}

async function groupsWorld(broker: string, { db, effects }: Pick<GroupsWorld, 'db' | 'effects'>): Promise<GroupsWorld> {
  const made = logOfDeliveries()
  const kafka = kafkaWorld(broker)
  const admin = kafka.client.admin()
  await admin.connect()
  kafka.relay({ store: made.store, pool: db.pool })
  const faults: string[] = []
  let running: RunningConsumer[] = []

  const run = (transport: Transport, group: string, changes: Changes = {}): RunningConsumer => {
    const { failing = () => false, before, ...options } = changes
    const consumer = effects.noting({
      group,
      handle: async (events, tx) => {
        if (failing()) throw Object.assign(new Error('busy'), { code: '40001' })
        await before?.(events as readonly Delivered[])
        for (const { data } of events as readonly Delivered[])
          await tx.query('insert into effect (message, contact) values ($1, $2)', [`${group} ${data.messageId}`, data.contactId])
        return undefined
      },
    })
    const onFault = (error: unknown): void => {
      if (!LATE.test(String(error))) faults.push(`${group}: ${String(error)}`)
    }
    const started = transport({ consumer, log: made.log, pool: db.pool, startAt: 'start', onFault, ...options })
    running.push(started)
    return started
  }
  const all = async (group: string) =>
    (await effects.all()).flatMap(({ message, contact }) =>
      message.startsWith(`${group} `) ? [{ number: Number(message.split(' ')[1]), contact }] : [],
    )
  const groupIds = async () => {
    const { groups } = await admin.listGroups()
    return groups.flatMap(({ groupId }) => (groupId.startsWith(kafka.kafka.prefix) ? [groupId] : []))
  }
  return {
    db,
    effects,
    made,
    kafka,
    admin,
    faults,
    run,
    stopAll: async () => {
      await Promise.all(running.map((consumer) => consumer.stop()))
      running = []
    },
    deliverAll: (from, to) => made.deliverAll(from, to, (n) => ({ contact: `contact ${n % CONTACTS}` })),
    noted: async (group) => (await all(group)).map(({ number }) => number),
    handles: async (group, last) => {
      await until(async () => expect((await all(group)).length).toBeGreaterThanOrEqual(last))
      const found = await all(group)
      expect(found.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(numbers(1, last).map(Number))
      for (const of of Map.groupBy(found, ({ contact }) => contact).values()) {
        const order = of.map(({ number }) => number)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
    },
    published: () =>
      until(async () => {
        const { rows } = await db.pool.query<{ at: bigint }>('select position_commit as at from ops.relay')
        expect(rows[0]?.at).toBe((await made.log.head()).commit)
      }),
    groupIds,
    members: async () => (await admin.describeGroups([...(await groupIds())])).groups.flatMap(({ members }) => members).length,
    offsets: async (groupId) => {
      const [found] = await admin.fetchOffsets({ groupId, topics: [kafka.topic] })
      return (found?.partitions ?? []).map(({ offset }) => offset)
    },
  }
}
