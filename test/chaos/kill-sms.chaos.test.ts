import { expect, test } from 'vitest'
import { killSms } from './kill-sms.ts'

const ROLES = ['consumers', 'command-api', 'projectors', 'query-api'] as const

test('twenty kills of every role among five thousand texts', async () => {
  process.env.TIDINGS_E2E = 'roles'
  const victims = Array.from({ length: 20 }, (_, n) => ROLES[n % ROLES.length] ?? 'consumers')
  const { doubled, over, ...result } = await killSms({ victims, messages: 5_000, credits: 4_900 })
  console.log(`${victims.length} kills, ${over} texts: ${doubled} left again`)
  expect(result).toEqual({ kills: 20, balance: 0, held: 0, unverified: [], unpaid: 0, paidForNothing: 0, paidTwice: 0, unsent: 0 })
}, 1_800_000)
