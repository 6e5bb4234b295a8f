import type { EventLog } from '@tidings/codec'
import { Unavailable } from '@tidings/event-store'
import { type TestDatabase, until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import type { Consumer } from '../../src/port.ts'
import type { Delivered, Effects } from '../testing/effects.ts'
import { WORKSPACE } from '../testing/log-of-deliveries.ts'
import type { World } from './harness.ts'
import { started } from './started.ts'

const poisoned = (effects: Effects, isBroken: () => boolean): Consumer => {
  const inner = effects.noting()
  return effects.noting({
    handle: async (events, tx) => {
      if (isBroken() && (events as readonly Delivered[]).some(({ data }) => data.messageId === '3'))
        throw new TypeError('three is too much')
      return await inner.handle(events, tx)
    },
  })
}

const redriveAll = ({ pool }: TestDatabase) => pool.query(`update ops.dead_letter set state = 'redriving'`)

const raw = (id: number, type: string, data: string) => ({ id: `0192b1f0-0000-7000-8000-00000000000${id}`, type, data, meta: '{}' })

function cannotBeHandled(world: () => World): void {
  test('is set aside alone, and the others go on', async () => {
    const { made, effects } = world()
    await made.deliverAll(1, 5)
    started(
      world(),
      poisoned(effects, () => true),
    )
    await effects.become(['1', '2', '4', '5'])
    expect(await effects.letters()).toMatchObject([{ error_class: 'TypeError', attempts: 1, state: 'open', workspace_id: WORKSPACE }])
  })

  test('costs the others some transactions, not one each', async () => {
    const { made, effects } = world()
    await made.deliverAll(1, 200)
    const inner = poisoned(effects, () => true)
    let tries = 0
    started(world(), {
      ...inner,
      handle: (events, tx) => {
        tries++
        return inner.handle(events, tx)
      },
    })
    await until(async () => expect(await effects.all()).toHaveLength(199))
    expect(tries).toBeLessThan(100)
  })

  test('is handled again at a redrive, and counted when it still fails', async () => {
    const { made, effects, db } = world()
    let isBroken = true
    await made.deliverAll(1, 5)
    started(
      world(),
      poisoned(effects, () => isBroken),
    )
    await until(async () => expect(await effects.letters()).toHaveLength(1))
    await redriveAll(db)
    await until(async () => expect(await effects.letters()).toMatchObject([{ state: 'open', attempts: 2 }]))
    isBroken = false
    await redriveAll(db)
    await until(async () => expect(await effects.letters()).toMatchObject([{ state: 'redriven' }]))
    await effects.become(['1', '2', '4', '5', '3'])
  })

  test('waits to be taken again for a log that is away', async () => {
    const { made, effects, db } = world()
    let isAway = false
    let asked = 0
    const log: EventLog = {
      ...made.log,
      readAll: async (...position) => {
        if (!isAway) return await made.log.readAll(...position)
        asked++
        throw new Unavailable('the log is away')
      },
    }
    let isBroken = true
    await made.deliverAll(1, 4)
    started(
      world(),
      poisoned(effects, () => isBroken),
      { log },
    )
    await effects.become(['1', '2', '4'])
    isBroken = false
    isAway = true
    await redriveAll(db)
    await until(() => expect(asked).toBeGreaterThan(0))
    isAway = false
    await effects.become(['1', '2', '4', '3'])
    expect(await effects.letters()).toMatchObject([{ state: 'redriven', attempts: 1 }])
  })

  test('is open again after a redrive of what the log does not have', async () => {
    const { made, effects, db } = world()
    await made.deliverAll(1, 3)
    started(
      world(),
      poisoned(effects, () => true),
    )
    await effects.become(['1', '2'])
    await until(async () => expect(await effects.letters()).toHaveLength(1))
    await db.pool.query(`update ops.dead_letter set reference = '1000/0'`)
    await redriveAll(db)
    await until(async () => expect(await effects.letters()).toMatchObject([{ error_class: 'NotInTheLog', state: 'open', attempts: 2 }]))
  })
}

export function broken(world: () => World): void {
  describe('what cannot be handled', () => cannotBeHandled(world))

  describe('what cannot be decoded', () => {
    test('is set aside with its place, unless another product wrote it', async () => {
      const { made, effects } = world()
      await made.deliver(1)
      await made.store.append('broken-x', 'any', [raw(1, 'MessageDelivered', '{oops')])
      await made.store.append('future-x', 'any', [raw(2, 'MessageTeleported', '{}')])
      await made.deliver(2)
      started(world(), effects.noting())
      await effects.become(['1', '2'])
      await until(async () =>
        expect(await effects.letters()).toMatchObject([{ source: 'event', error_class: 'CorruptEvent', state: 'open' }]),
      )
    })
  })
}
