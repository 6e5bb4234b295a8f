import { contextOf, modelLog } from '@tidings/commands/testing'
import { walletStream } from '@tidings/domain'
import { expect, it } from 'vitest'
import { placeOfMoment } from '../src/statement-back.ts'

const { workspaceId } = contextOf('any')
const MINUTE = 60_000
const EVENTS = 5_000

it('a moment is found in a long wallet by some reads', async () => {
  const { log, calls } = modelLog()
  const one = { type: 'CreditsAdded', data: { commandId: null, amount: 1, note: null } } as const
  const stream = walletStream(workspaceId)
  const place = async (at: number) => (await placeOfMoment(log, { workspaceId, at }))?.revision
  expect(await place(0)).toBeUndefined()
  const at = (n: number) => new Date(n * MINUTE).toISOString()
  for (let n = 0; n < EVENTS; n++) await log.append(stream, n === 0 ? 'no_stream' : n - 1, [one], { ...contextOf(`${n}`), at: at(n) })
  const before = calls.length
  expect(await place(1_234 * MINUTE)).toBe(1_234)
  expect(calls.length - before).toBeLessThan(20)
  expect(await place(1_234 * MINUTE - 1)).toBe(1_234)
  expect(await place(-1)).toBe(0)
  expect(await place(EVENTS * MINUTE)).toBeUndefined()
})
