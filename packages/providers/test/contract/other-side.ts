import { until } from '@tidings/testing'
import { afterEach, describe, expect, test } from 'vitest'
import type { DeliveryError } from '../../src/port.ts'
import { newNumber, type OtherSide, options, type Sending } from './harness.ts'

const CODE = '493817'
const text = `Your code is ${CODE}`

/** What holds for a provider whose messages leave the process: what each bad day of the other side becomes. `openShort`: another whose calls end soon; `openRated`: one that asks a throttling side again soon. */
export function otherSideScenarios(
  sending: () => Sending,
  { openShort, openRated }: Record<'openShort' | 'openRated', () => Promise<Sending>>,
): void {
  const side = (): OtherSide => {
    const { otherSide } = sending().harness
    if (otherSide === undefined) throw new Error('the adapter has no other side')
    return otherSide
  }
  const takenBy = async (to: string): Promise<number> => (await sending().harness.taken()).filter((taken) => taken.to === to).length
  const failing = (to: string, handedOver = () => {}): Promise<DeliveryError> =>
    sending()
      .send({ to, text }, { ...options, handedOver })
      .then(
        () => expect.unreachable('it was sent'),
        (error: DeliveryError) => error,
      )

  /** A kept connection may break under the first message: that one has left. */
  const outage = (): Promise<void> => until(async () => expect(await failing(newNumber())).toMatchObject({ failure: 'outage' }))
  const recovery = (): Promise<void> => until(() => expect(sending().provider.outage()).toBeNull())

  describe('a provider with an other side', () => {
    afterEach(() => side().behave())

    test.each(['recipient', 'refused', 'temporary'] as const)('reports a refusal as %s', async (failure) => {
      const to = newNumber()
      side().refuse(to, failure)
      const error = await failing(to)
      expect(error).toMatchObject({ name: 'DeliveryError', failure })
      expect(error.response).not.toBeNull()
      expect(await takenBy(to)).toBe(0)
      await sending().send({ to: newNumber(), text }, options)
    })

    test('says when a message has left, and not for one that could not', async () => {
      let left = 0
      await sending().send({ to: newNumber(), text }, { ...options, handedOver: () => left++ })
      expect(left).toBe(1)
      await side().stop()
      await outage()
      expect(await failing(newNumber(), () => left++)).toMatchObject({ failure: 'outage' })
      expect(left).toBe(1)
      await side().start()
      await recovery()
    })

    test('reports as unconfirmed what was taken and lost its answer', async () => {
      const to = newNumber()
      side().cutAfterTaking(to)
      expect(await failing(to)).toMatchObject({ failure: 'unconfirmed' })
      expect(await takenBy(to)).toBe(1)
    })

    test('reports as unconfirmed what never gets an answer, and delays nothing else', async () => {
      const to = newNumber()
      const { send, harness } = await openShort()
      harness.otherSide?.stall(to)
      const stalled = send({ to, text }, options).catch((error: unknown) => error)
      await send({ to: newNumber(), text }, options)
      expect(await stalled).toMatchObject({ failure: 'unconfirmed' })
      expect((await harness.taken()).filter((taken) => taken.to === to)).toHaveLength(1)
      await harness.close()
    })

    test('waits and tries again where the other side asks for less, and sends each once', async () => {
      const numbers = Array.from({ length: 10 }, newNumber)
      const { send, harness } = await openRated()
      harness.otherSide?.limitRate(3)
      await Promise.all(numbers.map((to) => send({ to, text }, options)))
      expect((await harness.taken()).map(({ to }) => to).toSorted()).toEqual(numbers)
      await harness.close()
    })

    test('is an outage while the other side is away, and over by itself', async () => {
      await side().stop()
      await outage()
      expect(sending().provider.outage()).toEqual(expect.any(String))
      await side().start()
      await recovery()
      const to = newNumber()
      await sending().send({ to, text }, options)
      expect(await takenBy(to)).toBe(1)
    })

    test('repeats neither a secret nor a passcode in an error', async () => {
      const [recipient, refused, cut] = [newNumber(), newNumber(), newNumber()]
      const errors: DeliveryError[] = []
      side().refuse(recipient, 'recipient')
      errors.push(await failing(recipient))
      side().refuse(refused, 'refused')
      errors.push(await failing(refused))
      side().cutAfterTaking(cut)
      errors.push(await failing(cut))
      for (const { message, response, stack } of errors) {
        for (const secret of [...sending().harness.secrets, CODE, [...CODE].join(' '), [...CODE].join(', ')])
          expect(`${message} ${response} ${stack}`).not.toContain(secret)
      }
    })
  })
}
