import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Fenced } from '../../src/leases/lease-table.ts'
import { whileLeased } from '../../src/leases/while-leased.ts'

const never = new AbortController().signal
const untilAborted = (ending: AbortSignal) => sleep(60_000, undefined, { signal: ending }).catch(() => undefined)

test('the work ends, and the failure is thrown, when a renewal fails', async () => {
  let renewals = 0
  const renew = async () => {
    if (++renewals === 3) throw new Fenced('another process holds it')
  }
  await expect(whileLeased({ leaseMs: 3, renew, signal: never }, untilAborted)).rejects.toBeInstanceOf(Fenced)
  expect(renewals).toBe(3)
})

test('the work ends with the signal, also with one that was aborted before', async () => {
  const stopping = new AbortController()
  const options = { leaseMs: 60_000, renew: async () => undefined, signal: stopping.signal }
  const working = whileLeased(options, untilAborted)
  stopping.abort()
  await working
  await whileLeased(options, untilAborted)
})

test('what the work answers or throws is passed on', async () => {
  const options = { leaseMs: 60_000, renew: async () => undefined, signal: never }
  expect(await whileLeased(options, async () => 'done')).toBe('done')
  await expect(whileLeased(options, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
