import { randomUUID } from 'node:crypto'
import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asWorkspaceId,
  contact,
  contactStream,
  eventDeclarations,
  MAX_BROWSERS,
  pushSubscription,
  pushSubscriptionStream,
  type WorkspaceId,
} from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerBrowser } from '../../src/push/register-browser.ts'

let db: TestDatabase
let log: EventLog
beforeAll(async () => {
  db = await testDatabase()
  log = createEventLog({
    store: postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS }),
    declarations: eventDeclarations,
    upcasters,
    keyRing: memoryKeyRing(),
  })
})
afterAll(async () => {
  await log.close()
  await db.drop()
})

const contextIn = (workspaceId: WorkspaceId) => ({
  commandId: randomUUID(),
  workspaceId,
  actor: 'key:1',
  requestId: 'r',
  at: new Date().toISOString(),
})

/** A contact, and processes that know nothing of each other but the log. `together`: it has an append over several streams. */
const worldOf = async (together: boolean) => {
  const [workspaceId, contactId] = [asWorkspaceId(randomUUID()), asContactId(randomUUID())]
  const { appendTogether: _, ...stepwise } = log
  const processes = [1, 2].map(() => createCommandRunner({ log: together ? log : stepwise, deadlineMs: PATIENT_MS }))
  const [commands] = processes as [(typeof processes)[0], (typeof processes)[0]]
  const data = { contactId, email: { value: 'ada@example.com', claimId: randomUUID() }, details: {}, source: 'test' }
  const of = { decider: contact, stream: contactStream(workspaceId, contactId) }
  await commands.execute({ ...of, command: { type: 'CreateContact', data }, context: contextIn(workspaceId) })
  return {
    register: async (n: number) => {
      const keys = { p256dh: 'key', auth: 'secret', userAgent: null, browser: null, platform: null }
      const { subscription } = await registerBrowser(
        { commands: processes[n % 2]! },
        {
          context: contextIn(workspaceId),
          contactId,
          browser: { endpoint: `https://push.example/${n}`, ...keys },
          evidence: { ip: '192.0.2.1', userAgent: null },
        },
      )
      return subscription.endpointHash
    },
    browsers: async () => (await commands.load({ ...of, workspaceId })).state.browsers.map(({ endpointHash }) => endpointHash),
    isLive: async (hash: string) =>
      (await commands.load({ decider: pushSubscription, stream: pushSubscriptionStream(workspaceId, hash), workspaceId })).state.isLive,
    lastOf: async (hash: string) =>
      (await log.readStream(workspaceId, pushSubscriptionStream(workspaceId, hash), { direction: 'backwards', limit: 1 }))[0],
  }
}

describe.each([
  ['in one append', true],
  ['one by one', false],
])('a browser for which the contact has no room any more, %s', (_, together) => {
  it('is revoked with the registration that drops it, and lives again with its own', async () => {
    const { register, browsers, isLive, lastOf } = await worldOf(together)
    const first = await register(0)
    for (let n = 1; n < MAX_BROWSERS; n++) await register(n)
    expect(await isLive(first)).toBe(true)
    await register(1)
    expect(await isLive(first)).toBe(true)
    await register(MAX_BROWSERS)
    expect(await lastOf(first)).toMatchObject({ type: 'PushSubscriptionRevoked', data: { reason: 'too_many_browsers' } })
    expect(await browsers()).not.toContain(first)
    await register(0)
    expect(await isLive(first)).toBe(true)
    expect((await browsers()).at(-1)).toBe(first)
  })

  it('is revoked also where many register at once: the live ones are those of the contact', async () => {
    const { register, browsers, isLive } = await worldOf(together)
    const all = await Promise.all(Array.from({ length: MAX_BROWSERS + 10 }, (_, n) => register(n)))
    const live = await Promise.all(all.map(async (hash) => ((await isLive(hash)) ? [hash] : [])))
    expect(live.flat().sort()).toEqual((await browsers()).toSorted())
    expect(live.flat()).toHaveLength(MAX_BROWSERS)
  })
})
