import { UnknownEventType } from '@tidings/codec'
import { comparePositions, START } from '@tidings/event-store'
import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import type { Delivered } from '../testing/effects.ts'
import { logOfDeliveries, nextBuild, WORKSPACE } from '../testing/log-of-deliveries.ts'
import type { World } from './harness.ts'
import { started } from './started.ts'

export function newer(world: () => World): void {
  describe('an event of a version that this build does not know', () => {
    test('is never skipped: the process releases the group before it, and a newer one continues', async () => {
      const { made, effects, position } = world()
      const next = logOfDeliveries(made.store, nextBuild)
      const faults: UnknownEventType[] = []
      await made.deliver(1)
      await next.deliver(2)
      await made.deliver(3)
      const before = (await made.store.readAll('start', 1)).to
      const old = started(world(), effects.noting(), {
        onFault: (error) => {
          // A broker that stands still for some seconds is a fault as well.
          if (error instanceof UnknownEventType) faults.push(error)
        },
      })
      await until(() => expect(faults).toHaveLength(1))
      await effects.become(['1'])
      expect(comparePositions((await position()) ?? START, before)).toBeLessThanOrEqual(0)
      expect(await effects.letters()).toEqual([])
      expect(faults).toMatchObject([{ type: 'MessageDelivered', version: 2 }])
      expect(old.progress().unknownEvent).toBe(`MessageDelivered version 2 at ${before.commit + 1n}/0`)

      started(world(), effects.noting(), { log: next.log })
      await effects.become(['1', '2', '3'])
      await until(() => expect(old.progress().unknownEvent).toBeNull())
      expect(faults).toHaveLength(1)
    })

    test('does not keep the older process from taking over what comes after it', async () => {
      const { made, effects, position } = world()
      const next = logOfDeliveries(made.store, nextBuild)
      await next.deliver(1)
      const old = started(world(), effects.noting())
      await until(() => expect(old.progress().unknownEvent).not.toBeNull())
      const young = started(world(), effects.noting(), { log: next.log })
      await effects.become(['1'])
      await until(async () => expect(comparePositions((await position()) ?? START, await made.log.head())).toBe(0))
      await young.stop()
      await made.deliver(2)
      await effects.become(['1', '2'])
      expect(old.progress().unknownEvent).toBeNull()
    })

    test('stops the group as well where a handler meets it', async () => {
      const { made, effects } = world()
      const next = logOfDeliveries(made.store, nextBuild)
      await made.deliver(1)
      await next.deliver(9, { type: 'MessageTeleported' })
      const inner = effects.noting()
      const looking = (log: typeof made.log) =>
        effects.noting({
          handle: async (events, tx) => {
            for (const { data } of events as readonly Delivered[]) if (data.messageId === '1') await log.readStream(WORKSPACE, teleported)
            return await inner.handle(events, tx)
          },
        })
      const [, event] = (await made.store.readAll('start', 2)).events
      const teleported = event?.stream ?? ''
      const old = started(world(), looking(made.log))
      await until(() => expect(old.progress().unknownEvent).toMatch(/^MessageTeleported at /))
      expect([await effects.all(), await effects.letters()]).toEqual([[], []])
      started(world(), looking(next.log), { log: next.log })
      await effects.become(['1'])
    })
  })
}
