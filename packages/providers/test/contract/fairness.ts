import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { afterEach, describe, expect, test } from 'vitest'
import type { Priority, SendOptions } from '../../src/port.ts'
import { newNumber, type OtherSide, options, type Sending } from './harness.ts'

const text = 'Hi'

type ManyOptions = Readonly<{ workspaceId?: WorkspaceId; fenceOf?: (to: string) => SendOptions['fence'] }>

/** What holds for the order in which messages leave, and for what one message costs the others (M43, M57). */
export function fairnessScenarios(sending: () => Sending, { carriesPasscodes }: Readonly<{ carriesPasscodes: boolean }>): void {
  const side = (): OtherSide => {
    const { otherSide } = sending().harness
    if (otherSide === undefined) throw new Error('the adapter has no other side')
    return otherSide
  }
  const takenTo = async (): Promise<readonly string[]> => (await sending().harness.taken()).map(({ to }) => to)
  const isTaken = (to: string): Promise<void> => until(async () => expect(await takenTo()).toContain(to))
  /** Numbers of messages that are sent and not waited for. */
  const sendMany = (count: number, priority: Priority, more: ManyOptions = {}) => {
    const { fenceOf = () => options.fence, ...whose } = more
    const numbers = Array.from({ length: count }, newNumber)
    const all = numbers.map((to) => sending().send({ to, text, ...whose }, { ...options, priority, fence: fenceOf(to) }))
    return { numbers, settled: Promise.allSettled(all) }
  }

  describe('a provider whose other side takes its time', () => {
    const gate = { open: () => {} }
    const hold = (): void => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate.open = resolve
      side().hold(promise)
    }
    afterEach(() => {
      gate.open()
      side().behave()
    })

    test('asks the fence when a place is free for the message: what a gate closes behind never leaves', async () => {
      hold()
      const closed = new Error('the campaign was cancelled')
      let isClosed = false
      const passed = new Set<string>()
      // Some ask more than once.
      const fenceOf = (to: string) => (): Promise<void> | undefined => {
        if (isClosed) return Promise.reject(closed)
        passed.add(to)
        return undefined
      }
      const { numbers, settled } = sendMany(60, 'marketing', { fenceOf })
      await until(async () => expect((await takenTo()).some((to) => numbers.includes(to))).toBe(true))
      isClosed = true
      const inHands = new Set(passed)
      gate.open()
      const results = await settled
      const left = numbers.filter((_, n) => results[n]?.status === 'fulfilled')
      expect(results.filter((one) => one.status === 'rejected' && one.reason !== closed)).toEqual([])
      expect((await takenTo()).filter((to) => numbers.includes(to)).toSorted()).toEqual(left.toSorted())
      expect(left.filter((to) => !inHands.has(to))).toEqual([])
      expect(left.length).toBeGreaterThan(0)
      expect(left.length).toBeLessThan(30)
    })

    test('has a place for a transactional message behind marketing', async () => {
      hold()
      const campaign = sendMany(60, 'marketing')
      await isTaken(campaign.numbers[0] ?? '')
      const order = sendMany(1, 'transactional')
      await isTaken(order.numbers[0] ?? '')
      gate.open()
      await Promise.all([campaign, order].map(({ settled }) => settled))
    })

    if (carriesPasscodes) {
      test('has a place for a passcode behind marketing and transactional messages', async () => {
        hold()
        const [campaign, orders] = [sendMany(60, 'marketing'), sendMany(60, 'transactional')]
        await isTaken(orders.numbers[0] ?? '')
        const code = sendMany(1, 'passcode')
        await isTaken(code.numbers[0] ?? '')
        gate.open()
        await Promise.all([campaign, orders, code].map(({ settled }) => settled))
      })
    }

    test('lets the one message of a workspace wait for no backlog of another', async () => {
      hold()
      const backlog = sendMany(200, 'marketing', { workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-0000000000b1') })
      await isTaken(backlog.numbers[0] ?? '')
      const other = sendMany(1, 'marketing')
      const before = new Set(await takenTo())
      gate.open()
      await Promise.all([backlog.settled, other.settled])
      const after = (await takenTo()).filter((to) => !before.has(to))
      expect(after.indexOf(other.numbers[0] ?? '')).toBeGreaterThanOrEqual(0)
      expect(after.indexOf(other.numbers[0] ?? '')).toBeLessThan(25)
    })
  })
}
