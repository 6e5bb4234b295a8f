import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { contextOf } from '@tidings/commands/testing'
import { asMessageId, eventDeclarations, wallet, walletStream } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { type EventStoreFixture, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyWallet } from '../src/verify-wallet.ts'
import { createWallets, type LowCredits } from '../src/wallets.ts'

const { workspaceId } = contextOf('any')
const CREDITS = 300
const PROCESSES = 3

let database: TestDatabase
let fixture: EventStoreFixture
let stores: readonly EventStore[] = []

beforeAll(async () => {
  database = await testDatabase()
  fixture = await startEventStoreFixture()
  // A slow server answers late: what is tested is who gets the credits, not how long an append may last.
  const times = { append: { attemptMs: 60_000, deadlineMs: PATIENT_MS }, read: { silenceMs: 60_000, deadlineMs: PATIENT_MS } }
  stores = [
    postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS }),
    eventStoreDbStore({ connectionString: fixture.connectionString, times }),
  ]
})
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await fixture.close()
  await database.drop()
})

const opened = async (store: number) => {
  const log = createEventLog({ store: stores[store]!, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const command = { type: 'AddCredits', data: { commandId: 'top-up', amount: CREDITS, note: null } } as const
  const { execute } = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  await execute({ decider: wallet, stream: walletStream(workspaceId), command, context: contextOf('top-up') })
  return log
}

const process = (log: EventLog, low: LowCredits[]) =>
  createWallets({
    commands: createCommandRunner({ log, deadlineMs: PATIENT_MS }),
    lowCreditsThreshold: 100,
    onLowCredits: (one) => low.push(one),
  })

describe.each([
  ['Postgres', 0],
  ['EventStoreDB', 1],
])('a wallet on %s', (_name, store) => {
  it('that many processes pay from at once pays for as much as there is, and no more', async () => {
    const log = await opened(store)
    const low: LowCredits[] = []
    const processes = Array.from({ length: PROCESSES }, () => process(log, low))
    const attempt = async (n: number) => {
      const [messageId, holder] = [`m${n}`, `h${n}`]
      const wallets = processes[n % PROCESSES]!
      const held = (await wallets.hold({ workspaceId, holder, messages: [{ messageId: asMessageId(messageId), amount: 2 }] })).get(
        messageId,
      )
      if (held !== 'held') return held
      // Every third is refused by its provider.
      await (n % 3 === 0 ? wallets.release : wallets.settle)({ workspaceId, holds: [{ messageId: asMessageId(messageId), holder }] })
      return n % 3 === 0 ? 'released' : 'settled'
    }
    const ends = await Promise.all(Array.from({ length: 450 }, (_, n) => attempt(n)))
    const settled = ends.filter((end) => end === 'settled').length
    const verified = await verifyWallet(log, workspaceId)
    expect(verified).toMatchObject({ ok: true, problems: [], held: 0, balance: CREDITS - 2 * settled })
    expect(ends).toContain('insufficient_credits')
    expect(await processes[0]?.balanceOf(workspaceId)).toEqual({ balance: verified.balance, held: 0, available: verified.balance })
    // It warns once each time the threshold is crossed: a release goes above it again.
    expect(low[0]).toMatchObject({ workspaceId, threshold: 100 })
    expect(low.every(({ available }) => available < 100)).toBe(true)
  })
})

it('a hold is asked for in whole credits', async () => {
  const wallets = process(await opened(0), [])
  await expect(wallets.hold({ workspaceId, holder: 'h', messages: [{ messageId: asMessageId('m'), amount: 0.5 }] })).rejects.toThrow(
    RangeError,
  )
})
