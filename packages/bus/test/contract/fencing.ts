import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import type { Consumer } from '../../src/port.ts'
import { numbers } from '../testing/effects.ts'
import type { World } from './harness.ts'
import { started } from './started.ts'

export function fencing(world: () => World): void {
  describe('an effect and its checkpoint are one', () => {
    test('what failed on the way is done again, once', async () => {
      const { made, effects } = world()
      let failures = 2
      const inner = effects.noting()
      const handle: Consumer['handle'] = async (events, tx) => {
        await inner.handle(events, tx)
        if (failures-- > 0) throw Object.assign(new Error('the server goes down'), { code: '57P01' })
        return undefined
      }
      await made.deliverAll(1, 3)
      started(world(), effects.noting({ handle }))
      await effects.become(numbers(1, 3))
      expect(await effects.letters()).toEqual([])
    })

    test('when Postgres falls back, its events come again and nothing is doubled', async () => {
      const { made, effects, db, setBack } = world()
      await made.deliver(1)
      const afterFirst = await made.log.head()
      await made.deliverAll(2, 3)
      started(world(), effects.noting())
      await effects.become(numbers(1, 3))
      // What a crash may do to transactions that did not wait for the disk: effect and checkpoint undone together.
      await db.pool.query(`begin; delete from effect where message::int > 1; ${setBack(afterFirst)}; commit`)
      await made.deliver(4)
      await effects.become(numbers(1, 4))
    })

    test('who lost the group in the middle of it writes nothing', async () => {
      const { made, effects, takeAway } = world()
      await made.deliver(1)
      const zombie = started(world(), effects.noting())
      await effects.become(['1'])
      await takeAway()
      await made.deliver(2)
      await until(() => expect(zombie.progress().position).toBeNull())
      expect(await effects.all()).toHaveLength(1)
    })
  })

  describe('two processes', () => {
    test('handle each event once, and one goes on when the other stops', async () => {
      const { made, effects } = world()
      const first = started(world(), effects.noting())
      await until(() => expect(first.progress().position).not.toBeNull())
      started(world(), effects.noting())
      await made.deliverAll(1, 40, (n) => ({ contact: `contact ${n % 5}` }))
      await until(async () => expect(await effects.all()).toHaveLength(40))
      await first.stop()
      await made.deliverAll(41, 60, (n) => ({ contact: `contact ${n % 5}` }))
      await until(async () => expect(await effects.all()).toHaveLength(60))
      const messages = (await effects.all()).map(({ message }) => Number(message))
      expect(messages.toSorted((a, b) => a - b)).toEqual(numbers(1, 60).map(Number))
    })
  })
}
