import { createEventLog, type EventLog, memoryKeyRing, UnknownEventType, upcasters, WrongMasterKey } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { contextOf } from '@tidings/commands/testing'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  eventDeclarations,
  type MessageCommand,
  message,
  messageStream,
  type WorkspaceId,
  wallet,
  walletStream,
} from '@tidings/domain'
import { START } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { createWallets, verifyWallet } from '@tidings/wallet'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SweptWallets, startWallets, type WalletsOptions } from '../../src/wallets/start-wallets.ts'
import { recordingLogger } from '../testing/recording-logger.ts'

const QUARTER_OF_AN_HOUR = 15 * 60_000

let database: TestDatabase
let log: EventLog
beforeAll(async () => {
  database = await testDatabase()
  const store = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
  log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
})
afterAll(async () => {
  await log.close()
  await database.drop()
})
beforeEach(async () => {
  await database.pool.query('truncate ops.task_lease')
})

const running: Readonly<{ stop: () => Promise<void> }>[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()))
})

/** A workspace with ten credits, two of them held by an attempt that died. */
const abandoned = async (): Promise<WorkspaceId> => {
  const workspaceId = asWorkspaceId(crypto.randomUUID())
  const commands = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const command = { type: 'AddCredits', data: { commandId: 'c', amount: 10, note: null } } as const
  await commands.execute({ decider: wallet, stream: walletStream(workspaceId), command, context: { ...contextOf('c'), workspaceId } })
  await createWallets({ commands }).hold({
    workspaceId,
    holder: 'dead',
    messages: [{ messageId: asMessageId(crypto.randomUUID()), amount: 2 }],
  })
  return workspaceId
}

/** A process that sweeps these workspaces, a quarter of an hour from now. `next` resolves with what its next round says. */
const sweeper = (workspaces: readonly WorkspaceId[], options: Partial<WalletsOptions> = {}) => {
  const commands = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const rounds: (SweptWallets | null)[] = []
  const faults: unknown[] = []
  let heard = Promise.withResolvers<SweptWallets | null>()
  const sweeping = startWallets({
    canWork: () => true,
    log,
    pool: database.pool,
    requestPool: database.pool,
    lowCredits: 0,
    commands,
    wallets: createWallets({ commands }),
    withHolds: async ({ after, limit }) =>
      workspaces
        .filter((id) => id > after)
        .sort()
        .slice(0, limit),
    now: () => Date.now() + QUARTER_OF_AN_HOUR,
    everyMs: 1,
    onSwept: (swept) => {
      rounds.push(swept)
      heard.resolve(swept)
      heard = Promise.withResolvers()
    },
    logger: recordingLogger(faults),
    ...options,
  })
  running.push(sweeping)
  return { ...sweeping, rounds, faults, next: () => heard.promise }
}

const heldIn = async (workspaceId: WorkspaceId) => {
  const { ok, held, balance } = await verifyWallet(log, workspaceId)
  return { ok, held, balance }
}

it('gives the credits of dead attempts back, in every workspace', async () => {
  const workspaces = await Promise.all([abandoned(), abandoned(), abandoned()])
  const { next, faults } = sweeper(workspaces)
  expect(await next()).toEqual({ settled: 0, released: 3, workspaces: 3, heldSince: null })
  for (const id of workspaces) expect(await heldIn(asWorkspaceId(id))).toEqual({ ok: true, held: 0, balance: 10 })
  expect(await next()).toEqual({ settled: 0, released: 0, workspaces: 0, heldSince: null })
  expect(faults).toEqual([])
})

it('leaves a young hold to its attempt, and says since when it is there', async () => {
  const workspaceId = await abandoned()
  const { next } = sweeper([workspaceId], { now: () => Date.now() })
  expect(await next()).toMatchObject({ released: 0, heldSince: expect.stringMatching(/^\d{4}-.*Z$/) })
  expect(await heldIn(workspaceId)).toMatchObject({ held: 2 })
})

it('runs in one process at a time, and in the next one as soon as that has stopped', async () => {
  const first = sweeper([])
  expect(await first.next()).not.toBeNull()
  const second = sweeper([])
  expect(await second.next()).toBeNull()
  await first.stop()
  let last = second.rounds.at(-1) ?? null
  while (last === null) last = await second.next()
  expect(last).toMatchObject({ released: 0 })
})

it('a process that lost the master key leaves the lease to one that has it, and takes it again where that is gone', async () => {
  const workspaceId = await abandoned()
  let hasKey = true
  const first = sweeper([], { canWork: () => hasKey })
  expect(await first.next()).not.toBeNull()
  hasKey = false
  expect(await first.next()).toBeNull()
  const second = sweeper([workspaceId])
  expect(await second.next()).toMatchObject({ released: 1 })
  hasKey = true
  expect(await first.next()).toBeNull()
  await second.stop()
  await expect.poll(() => first.rounds.at(-1)).not.toBeNull()
})

const newer = { type: 'MoonRisen', version: 1, ours: true }
const NEWER = new UnknownEventType(newer, { stream: 'wallet-1', position: START })

it.each([new Error('not decodable'), NEWER, new WrongMasterKey('wrapped under another')])(
  'goes on with the other workspaces where one cannot be read: %s',
  async (fault) => {
    const [broken = asWorkspaceId(''), whole = asWorkspaceId('')] = (await Promise.all([abandoned(), abandoned()])).sort()
    const readStream: EventLog['readStream'] = (workspaceId, ...more) =>
      workspaceId === broken ? Promise.reject(fault) : log.readStream(workspaceId, ...more)
    const commands = createCommandRunner({ log: { ...log, readStream }, deadlineMs: PATIENT_MS })
    const { next, faults } = sweeper([broken, whole], { commands })
    expect(await next()).toMatchObject({ released: 1, workspaces: 1 })
    expect(faults).toEqual([fault])
    expect(await heldIn(whole)).toMatchObject({ held: 0 })
    expect(await heldIn(broken)).toMatchObject({ held: 2 })
  },
)

it('leaves the hold of an attempt that could not record its outcome while the log was away, which it does as soon as it can', async () => {
  const workspaceId = asWorkspaceId(crypto.randomUUID())
  const messageId = asMessageId(crypto.randomUUID())
  const commands = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  const context = (commandId: string) => ({ ...contextOf(commandId), workspaceId })
  const add = { type: 'AddCredits', data: { commandId: 'c', amount: 10, note: null } } as const
  await commands.execute({ decider: wallet, stream: walletStream(workspaceId), command: add, context: context('c') })
  const decide = (command: MessageCommand) =>
    commands.execute({
      decider: message,
      stream: messageStream(workspaceId, messageId),
      command,
      context: context(`${messageId} ${command.type}`),
    })
  const content = {
    to: '+972501234567',
    from: 'ACME',
    body: 'Hi',
    credits: 2,
    segments: 1,
    templateId: null,
    kind: 'transactional',
  } as const
  await decide({ type: 'AcceptSms', data: { messageId, contactId: asContactId(crypto.randomUUID()), ...content } })
  await createWallets({ commands }).hold({ workspaceId, holder: 'alive', messages: [{ messageId, amount: 2 }] })
  let isAway = true
  const readStream: EventLog['readStream'] = (...asked) =>
    isAway ? Promise.reject(Object.assign(new Error('away'), { retryable: true })) : log.readStream(...asked)
  const [away, recorded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let looks = 0
  const { next } = sweeper([workspaceId], {
    commands: createCommandRunner({ log: { ...log, readStream }, deadlineMs: PATIENT_MS }),
    logger: { ...recordingLogger(), warn: () => away.resolve() },
    // The second round in which the log is there begins after the attempt has recorded what it did.
    withHolds: async () => {
      if (!isAway && looks++ > 0) await recorded.promise
      return [workspaceId]
    },
  })
  await away.promise
  isAway = false
  expect(await next()).toMatchObject({ released: 0, heldSince: expect.any(String) })
  await decide({ type: 'RecordSent', data: { provider: 'p', providerMessageId: 'p1' } })
  const swept = next()
  recorded.resolve()
  expect(await swept).toMatchObject({ settled: 1, released: 0 })
  expect(await heldIn(workspaceId)).toEqual({ ok: true, held: 0, balance: 8 })
})

it('stops while the log does not answer', async () => {
  const asked = Promise.withResolvers<void>()
  const withHolds = (): Promise<readonly WorkspaceId[]> => {
    asked.resolve()
    return new Promise(() => undefined)
  }
  const { stop } = sweeper([], { withHolds })
  await asked.promise
  await stop()
})
