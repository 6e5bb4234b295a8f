import { asWorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SendOptions } from '../../src/port.ts'
import { deliveryError, SmtpRefusal } from '../../src/smtp/refusals.ts'
import { SendThrottle } from '../../src/throttle/send-throttle.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Sends so many mails, each to a domain of its own, to a server that refuses them after their content with this text. Returns how each ended, and how often all were tried. */
const refused = async (count: number, text: string) => {
  const throttle = new SendThrottle()
  const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }
  const ends: unknown[] = []
  let tries = 0
  for (let n = 0; n < count; n++) {
    const sending = throttle.send(
      { workspaceId: asWorkspaceId('a'), to: `ada@${n}.example`, route: `a ${n}.example` },
      options,
      async ({ fence }) => {
        await fence()
        tries++
        throw deliveryError(new SmtpRefusal('DATA', { code: Number(text.slice(0, 3)), text }))
      },
    )
    void sending.catch((error: unknown) => ends.push(error))
  }
  await vi.advanceTimersByTimeAsync(900_000)
  return { ends, tries }
}

test.each([1, 2, 5])('%s mails that a policy refuses, with no others, fail for now after a bounded number of tries', async (count) => {
  for (const text of ['451 4.7.0 Message refused by policy', '450 4.7.0 Try again later', '421 4.7.0 Temporary policy failure']) {
    const { ends, tries } = await refused(count, text)
    expect(ends).toEqual(Array.from({ length: count }, () => expect.objectContaining({ failure: 'temporary', response: text })))
    expect(tries).toBeLessThanOrEqual(30 * count)
  }
})

test.each(['454 4.7.0 Throttling failure: Daily message quota exceeded', '421 4.7.28 try again later'])(
  'mails that a server refuses for their rate wait as long as it says so: %s',
  async (text) => {
    const { ends, tries } = await refused(5, text)
    expect(ends).toEqual([])
    expect(tries).toBeGreaterThan(30)
  },
)
