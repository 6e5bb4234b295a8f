import { expect, test } from 'vitest'
import { killSms } from './kill-sms.ts'

// kill-flows has Kafka.
process.env.TIDINGS_E2E = 'roles'

test('roles that are killed while texts are sent leave each one paid once or not at all', async () => {
  const victims = ['consumers', 'command-api', 'consumers'] as const
  const { doubled, ...result } = await killSms({ victims, messages: 300, credits: 280 })
  expect(result).toEqual({
    kills: victims.length,
    over: expect.any(Number),
    balance: 0,
    held: 0,
    unverified: [],
    unpaid: 0,
    paidForNothing: 0,
    paidTwice: 0,
    unsent: 0,
  })
  expect(result.over).toBeGreaterThanOrEqual(280)
  expect(doubled).toBeLessThanOrEqual(victims.length * 128)
}, 1_200_000)
