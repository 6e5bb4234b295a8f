import { type Greenmail, startGreenmail } from '@tidings/testing/greenmail'
import { afterAll, describe, expect, test } from 'vitest'
import { checkBounceMailbox } from '../../src/doctor/outside.ts'

const greenmail: Greenmail | null = await startGreenmail()
afterAll(() => greenmail?.stop())

const check = (bounceMailbox: string | null, returnPath: string | null = 'bounces@example.com') =>
  checkBounceMailbox({ email: { returnPath, bounceMailbox, timeoutMs: 60_000 } })

test('no mailbox is fine, and it is said', async () => {
  expect(await check(null, null)).toContain('none is configured')
  expect(await check(null)).toContain('is not read')
})

describe.runIf(greenmail !== null)('a mailbox', () => {
  test('that can be read is fine; one that cannot is named, without its password', async () => {
    expect(await check(greenmail!.imap)).toContain('INBOX can be read')
    await expect(check(greenmail!.imap.replace('s3cret', 'wr0ng'))).rejects.toThrow(/^(?!.*wr0ng).*cannot be used/)
  })
})
