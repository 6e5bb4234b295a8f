import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import { newNumber, options, type Sending } from './harness.ts'

const text = 'Hi'

/** What holds for a provider that is closed while it sends. `open`: another one each time, with its own other side. */
export function closingScenarios(open: () => Promise<Sending>): void {
  describe('a provider that is closed', () => {
    test('lets what has left have its answer, fails what waits as an outage, and sends nothing more', async () => {
      const { send, provider, harness } = await open()
      const { promise, resolve } = Promise.withResolvers<void>()
      harness.otherSide?.hold(promise)
      const numbers = Array.from({ length: 60 }, newNumber)
      const sent = Promise.allSettled(numbers.map((to) => send({ to, text }, { ...options, priority: 'marketing' })))
      await until(async () => expect((await harness.taken()).length).toBeGreaterThan(0))
      const closed = provider.close()
      expect(provider.outage()).toEqual(expect.any(String))
      resolve()
      const results = await sent
      await closed
      const left = numbers.filter((_, n) => results[n]?.status === 'fulfilled')
      expect(left.length).toBeGreaterThan(0)
      expect(left.length).toBeLessThan(60)
      expect((await harness.taken()).map(({ to }) => to).toSorted()).toEqual(left.toSorted())
      const failures = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      for (const failure of failures) expect(failure).toMatchObject({ name: 'DeliveryError', failure: 'outage' })
      await expect(send({ to: newNumber(), text }, options)).rejects.toMatchObject({ failure: 'outage' })
      expect(await harness.taken()).toHaveLength(left.length)
      await harness.close()
    })
  })
}
