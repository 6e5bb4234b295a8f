import type { EventLog, Recorded } from '@tidings/codec'
import { comparePositions, LogWentBack, type Position, START } from '@tidings/event-store'
import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import type { Consumer } from '../../src/port.ts'
import { type Delivered, numbers } from '../testing/effects.ts'
import type { World } from './harness.ts'
import { started } from './started.ts'

export function delivery(world: () => World): void {
  describe('events', () => {
    test('are handled once and in order, across stops and starts', async () => {
      const { made, effects } = world()
      await made.deliverAll(1, 5)
      const first = started(world(), effects.noting())
      await effects.become(numbers(1, 5))
      await first.stop()
      await made.deliverAll(6, 9)
      started(world(), effects.noting())
      await effects.become(numbers(1, 9))
    })

    test('wait while the log does not hold what was seen of it, on whichever way they came', async () => {
      const { made, effects } = world()
      let [isAnother, refused] = [false, 0]
      const confirm = async (): Promise<void> => {
        if (!isAnother) return await made.log.confirm()
        refused++
        throw new LogWentBack('the log was set back')
      }
      const readAll: EventLog['readAll'] = async (...asked) => {
        await confirm()
        return await made.log.readAll(...asked)
      }
      started(world(), effects.noting(), { log: { ...made.log, confirm, readAll } })
      await made.deliver(1)
      await effects.become(['1'])
      isAnother = true
      await made.deliver(2)
      await until(() => expect(refused).toBeGreaterThan(2))
      await effects.become(['1'])
      isAnother = false
      await effects.become(['1', '2'])
    })

    test('about one contact are handled in their order, whatever happens to others', async () => {
      const { made, effects } = world()
      const contact = (n: number) => `contact ${n % 7}`
      await made.deliverAll(1, 100, (n) => ({ contact: contact(n) }))
      started(world(), effects.noting(), { maxBatch: 9 })
      await until(async () => expect(await effects.all()).toHaveLength(100))
      await made.deliverAll(101, 140, (n) => ({ contact: contact(n) }))
      await until(async () => expect(await effects.all()).toHaveLength(140))
      const of = Map.groupBy(await effects.all(), (effect) => effect.contact)
      for (let n = 0; n < 7; n++)
        expect(of.get(contact(n))?.map(({ message }) => Number(message))).toEqual(
          numbers(1, 140)
            .map(Number)
            .filter((message) => message % 7 === n),
        )
    })

    test('of other types are passed, and the checkpoint with them', async () => {
      const { made, effects, position } = world()
      await made.deliver(1)
      await made.deliverAll(2, 20, () => ({ type: 'MessageComplained' }))
      const head = await made.log.head()
      started(world(), effects.noting())
      await until(async () => expect(comparePositions((await position()) ?? START, head)).toBe(0))
      await effects.become(['1'])
    })

    test('that concern no effect are passed without one, and the checkpoint with them', async () => {
      const { made, effects, position } = world()
      await made.deliverAll(1, 40, (n) => ({ contact: n === 7 ? 'ours' : 'another' }))
      const head = await made.log.head()
      const inner = effects.noting()
      const handled: string[] = []
      const ofOurs = (events: readonly Recorded[]) => (events as readonly Delivered[]).some(({ data }) => data.contactId === 'ours')
      const handle: Consumer['handle'] = async (events, tx) => {
        handled.push(...(events as readonly Delivered[]).map(({ data }) => data.messageId))
        return await inner.handle(events, tx)
      }
      const first = started(world(), effects.noting({ concerns: ofOurs, handle }), { maxBatch: 1 })
      await until(async () => expect(comparePositions((await position()) ?? START, head)).toBe(0))
      await first.stop()
      started(world(), effects.noting({ concerns: ofOurs, handle }))
      await made.deliver(41, { contact: 'ours' })
      await until(() => expect(handled).toContain('41'))
      // Events that other Kafka partitions bring at the same moment share the transaction.
      expect(handled.filter((message) => message === '7')).toEqual(['7'])
      expect(handled.length).toBeLessThan(40)
    })

    test('at which the look fails are handled', async () => {
      const { made, effects } = world()
      await made.deliverAll(1, 3)
      started(world(), effects.noting({ concerns: () => Promise.reject(new TypeError('unreadable')) }))
      await effects.become(numbers(1, 3))
    })

    test('from before a new group begin at the head, unless `startAt` says otherwise', async () => {
      const { made, effects } = world()
      await made.deliver(1)
      const consumer = started(world(), effects.noting(), { startAt: 'head' })
      await until(() => expect(consumer.progress().caughtUp).toBe(true))
      await made.deliver(2)
      await effects.become(['2'])
    })

    test('are the same, whichever way they come', async () => {
      const { made, effects, run, db } = world()
      const seen: unknown[] = []
      await made.deliverAll(1, 3)
      const handle: Consumer['handle'] = async (events) => {
        seen.push(...events)
        return undefined
      }
      run({ consumer: effects.noting({ handle }), log: made.log, pool: db.pool, startAt: 'start' })
      await until(() => expect(seen).toHaveLength(3))
      expect(seen).toEqual((await made.log.readAll('start', 10)).events)
    })
  })

  describe('a session', () => {
    test('says where the log ended when it opened, and wakes after the commit', async () => {
      const { made, effects } = world()
      await made.deliver(1)
      const heads: Position[] = []
      const woken: number[] = []
      const wake = () => {
        void effects.all().then((seen) => woken.push(seen.length))
      }
      const inner = effects.noting()
      started(
        world(),
        effects.noting({ opened: (head) => heads.push(head), handle: (events, tx) => inner.handle(events, tx).then(() => wake) }),
      )
      await until(() => expect(woken).toEqual([1]))
      expect(heads[0]).toEqual(await made.log.head())
    })

    test('drains: a stop waits for the running batch', async () => {
      const { made, effects } = world()
      const inner = effects.noting()
      const gate = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      await made.deliver(1)
      const handle: Consumer['handle'] = async (events, tx) => {
        begun.resolve()
        await gate.promise
        return await inner.handle(events, tx)
      }
      const consumer = started(world(), effects.noting({ handle }))
      await begun.promise
      const stopped = consumer.stop()
      gate.resolve()
      await stopped
      expect(await effects.all()).toHaveLength(1)
    })
  })
}
