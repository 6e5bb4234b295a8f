import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConsentChannel, ConsentStatement, ConsentStatus } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PROFILES, world } from './world.testing.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'held-consents-'))])
  await database.pool.query(PROFILES)
})
afterAll(async () => {
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const said = (channel: ConsentChannel, status: ConsentStatus, source: string): ConsentStatement => ({
  ...{ channel, status, source },
  ...{ ip: null, userAgent: null },
})

/** Each given a day later than the one before: all are newer than what is known. */
const file = (channel: string, statuses: readonly ConsentStatus[]): string =>
  [
    `email,phone,${channel}Consent,${channel}ConsentSource,${channel}ConsentTimestamp`,
    ...statuses.map((status, day) => `ann@x.test,0501111111,${status},till,2040-05-0${day + 1}`),
    '',
  ].join('\n')

const now = () => '2041-01-01T00:00:00.000Z'

it.each([
  { held: said('sms', 'cleaned', 'undeliverable'), gives: ['unsubscribed', 'subscribed'], becomes: 'unsubscribed' },
  { held: said('email', 'cleaned', 'list_cleanup'), gives: ['unsubscribed', 'subscribed'], becomes: 'unsubscribed' },
  { held: said('email', 'cleaned', 'list_cleanup'), gives: ['never_subscribed', 'subscribed'], becomes: 'cleaned' },
  { held: said('email', 'unsubscribed', 'one_click'), gives: ['never_subscribed'], becomes: 'unsubscribed' },
  { held: said('email', 'unsubscribed', 'one_click'), gives: ['subscribed'], becomes: 'subscribed' },
  { held: said('email', 'subscribed', 'api'), gives: ['never_subscribed'], becomes: 'never_subscribed' },
] as const)('$held.channel that is $held.status by $held.source becomes $becomes by $gives', async ({ held, gives, becomes }) => {
  const { runs, people, change } = world({ pool: database.pool, folder })
  await runs('email,phone\nann@x.test,0501111111\n')
  await change({ consents: [held] })
  await runs(file(held.channel, gives), { now })
  expect((await people())[0]?.consents[held.channel]).toBe(becomes)
})
