import { describe, expect, test } from 'vitest'
import type { Priority } from '../../src/port.ts'
import { newNumber, options, type Sending } from './harness.ts'

const text = 'Hi'

/** What one number that gets too many costs the others (M57). `open`: another provider, with its own other side. */
export function rateScenarios(open: () => Promise<Sending>): void {
  describe('a provider that refuses one number because of its rate', () => {
    test('sends to every other one meanwhile, and fails that message for now after a bounded number of tries', async () => {
      const { send, provider, harness } = await open()
      const poison = newNumber()
      harness.otherSide?.limitOne(poison)
      const refused = send({ to: poison, text }, options).then(
        () => null,
        (error: unknown) => error,
      )
      const all: string[] = []
      for (const priority of ['passcode', 'transactional', 'marketing'] as const satisfies readonly Priority[]) {
        const numbers = Array.from({ length: 20 }, newNumber)
        all.push(...numbers)
        await Promise.all(numbers.map((to) => send({ to, text }, { ...options, priority })))
      }
      expect(provider.outage()).toBeNull()
      expect(await refused).toMatchObject({ failure: 'temporary' })
      expect((await harness.taken()).map(({ to }) => to).toSorted()).toEqual(all)
      await harness.close()
    })
  })
}
