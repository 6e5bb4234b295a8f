import { describe, expect, test } from 'vitest'
import { newNumber, options, type Sending } from './harness.ts'

/** What holds for every provider, wherever its messages go. */
export function everyProviderScenarios(sending: () => Sending): void {
  const takenBy = async (to: string) => (await sending().harness.taken()).filter((taken) => taken.to === to)

  describe('every provider', () => {
    test.each(['Hi Ada', 'שלום, הקוד שלך', '€ {} [] ~ \\ ^ |', '🙂 & <b> + %41', 'one\ntwo'])('carries %j as it is', async (text) => {
      const to = newNumber()
      const { providerMessageId } = await sending().send({ to, text }, options)
      expect(providerMessageId).toMatch(/^\S{1,100}$/)
      expect((await takenBy(to)).map((taken) => taken.text)).toEqual([text])
    })

    test('carries many at once, each once, each with its own id', async () => {
      const numbers = Array.from({ length: 200 }, newNumber)
      const answers = await Promise.all(numbers.map((to) => sending().send({ to, text: 'Hi' }, options)))
      expect(new Set(answers.map(({ providerMessageId }) => providerMessageId)).size).toBe(200)
      const taken = (await sending().harness.taken()).map(({ to }) => to).filter((to) => numbers.includes(to))
      expect(taken.toSorted()).toEqual(numbers.toSorted())
    })

    test('sends nothing where the fence rejects, and throws its error', async () => {
      const to = newNumber()
      const lost = new Error('another worker has it')
      const failed = sending().send({ to, text: 'Hi' }, { ...options, fence: () => Promise.reject(lost) })
      await expect(failed).rejects.toBe(lost)
      expect(await takenBy(to)).toEqual([])
    })

    test('sends the messages between those whose fence rejects, each of which gets its own error', async () => {
      const all = Array.from({ length: 40 }, (_, n) => ({ to: newNumber(), closed: n % 2 === 0 ? new Error(`gate ${n}`) : null }))
      const sent = all.map(({ to, closed }) =>
        sending().send({ to, text: 'Hi' }, { ...options, fence: () => (closed === null ? undefined : Promise.reject(closed)) }),
      )
      const results = await Promise.allSettled(sent)
      expect(results.map((result) => (result.status === 'rejected' ? result.reason : null))).toEqual(all.map(({ closed }) => closed))
      const taken = new Set((await sending().harness.taken()).map(({ to }) => to))
      expect(all.map(({ to }) => taken.has(to))).toEqual(all.map(({ closed }) => closed === null))
    })

    test('has no outage while it works', () => {
      expect(sending().provider.outage()).toBeNull()
    })
  })
}
