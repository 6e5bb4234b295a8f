import { createCommandRunner } from '@tidings/commands'
import { contextOf, type ModelLog, modelLog } from '@tidings/commands/testing'
import {
  asMessageId,
  asVerificationId,
  type MessageCommand,
  type MessageEvent,
  type MessageId,
  message,
  messageStream,
  wallet,
  walletStream,
} from '@tidings/domain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readStatement, type StatementEntry } from '../src/statement.ts'
import { reconcileHolds, sweepHolds } from '../src/sweep-holds.ts'
import { verifyWallet } from '../src/verify-wallet.ts'
import { createWallets } from '../src/wallets.ts'

const { workspaceId } = contextOf('any')
const LATER = Date.parse('2100-01-01T00:00:00.000Z')

/** What one process does at once: its attempt at some messages, a passcode, a receipt of the provider, a top-up, or a sweep. It dies at its `diesAt`-th call to the log. */
type Work = Readonly<{
  diesAt: number
  does: Readonly<{ send: readonly number[] }> | Readonly<{ topUp: number }> | Readonly<{ receipt: number }> | 'passcode' | 'sweep'
}>

const MESSAGES = 5
/** The provider refuses the last of them. */
const isRefused = (n: number) => n === MESSAGES - 1
const idOf = (n: number) => `m${n}`
const passcodeOf = (n: number) => `passcode${n}`

class Died extends Error {}

/** A process with its own caches: every call to the log waits for the scheduler, and the one at which it dies is done or not. */
const startProcess = (model: ModelLog, scheduler: fc.Scheduler, diesAt = Number.POSITIVE_INFINITY) => {
  let calls = 0
  const log = model.through(async (call, act) => {
    calls++
    if (calls > diesAt) throw new Died()
    await scheduler.schedule(Promise.resolve(), call)
    const answer = act()
    if (calls === diesAt) throw new Died()
    return answer
  })
  const commands = createCommandRunner({
    log,
    deadlineMs: Number.POSITIVE_INFINITY,
    clock: { now: () => 0, random: () => 0, sleep: async () => {} },
  })
  return { log, commands, wallets: createWallets({ commands, now: () => contextOf('any').at, gapMs: 0 }), workspaceId }
}

type Process = ReturnType<typeof startProcess>

const record = async ({ commands }: Process, messageId: MessageId, command: MessageCommand) => {
  const context = contextOf(`${messageId}:${command.type}`)
  return await commands.execute({ decider: message, stream: messageStream(workspaceId, messageId), command, context })
}

/** One attempt, as a worker makes it. */
const attempt = async (process: Process, holder: string, numbers: readonly number[]): Promise<void> => {
  const messages = numbers.map((n) => ({ messageId: asMessageId(idOf(n)), amount: n + 1 }))
  const held = await process.wallets.hold({ workspaceId, holder, messages })
  for (const n of numbers) {
    const messageId = asMessageId(idOf(n))
    if (held.get(messageId) !== 'held') continue
    const history = await process.log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
    if (history.reduce(message.evolve, message.initialState).status !== 'queued') {
      await reconcileHolds(process, [messageId])
      continue
    }
    const sent: MessageCommand = isRefused(n)
      ? { type: 'RecordFailed', data: { reason: 'provider_rejected', detail: null } }
      : { type: 'RecordSent', data: { provider: 'model', providerMessageId: messageId } }
    await record(process, messageId, sent)
    const ending = { workspaceId, holds: [{ messageId, holder }] }
    await (isRefused(n) ? process.wallets.release(ending) : process.wallets.settle(ending))
  }
}

/** A passcode, as its request sends it: under an id of its own, once. */
const passcode = async (process: Process, messageId: MessageId): Promise<void> => {
  const [holder, amount] = [messageId, 1]
  const held = await process.wallets.hold({ workspaceId, holder, messages: [{ messageId, amount }] })
  if (held.get(messageId) !== 'held') return
  const data = {
    messageId,
    channel: 'sms',
    verificationId: asVerificationId(messageId),
    to: '',
    from: '',
    credits: amount,
    segments: 1,
  } as const
  await record(process, messageId, { type: 'AcceptPasscode', data })
  await record(process, messageId, { type: 'RecordSent', data: { provider: 'model', providerMessageId: messageId } })
  await process.wallets.settle({ workspaceId, holds: [{ messageId, holder }] })
}

/** A receipt comes whenever the provider likes: also before its answer is recorded, and for a message whose attempt has died since. */
const receipt = async (model: ModelLog, process: Process, n: number): Promise<void> => {
  const wasHeld = (await entriesOf(model)).some(({ entry, messageId }) => entry === 'hold' && messageId === idOf(n))
  if (wasHeld && !isRefused(n)) await record(process, asMessageId(idOf(n)), { type: 'RecordDelivered', data: {} })
}

const work = async (model: ModelLog, scheduler: fc.Scheduler, { does, diesAt }: Work, n: number): Promise<void> => {
  const process = startProcess(model, scheduler, diesAt)
  const limits = { settledAfterMs: 0, orphanedAfterMs: Number.POSITIVE_INFINITY }
  if (does === 'sweep') await sweepHolds(process, LATER, limits)
  else if (does === 'passcode') await passcode(process, asMessageId(passcodeOf(n)))
  else if ('receipt' in does) await receipt(model, process, does.receipt)
  else if ('send' in does) await attempt(process, `holder${n}`, does.send)
  else {
    const command = { type: 'AddCredits', data: { commandId: `c${n}`, amount: does.topUp, note: null } } as const
    await process.commands.execute({ decider: wallet, stream: walletStream(workspaceId), command, context: contextOf(`c${n}`) })
  }
}

const accepted = async (model: ModelLog) => {
  for (let n = 0; n < MESSAGES; n++) {
    const event = {
      type: 'EmailAccepted',
      data: { messageId: idOf(n), contactId: 'c', channel: 'sms', to: '', content: null },
    }
    await model.log.append(messageStream(workspaceId, asMessageId(idOf(n))), 'no_stream', [event], contextOf(`accept${n}`))
  }
}

/** Holds that came and went before, so that the balance is about to be carried forward. */
const past = async (model: ModelLog, pairs: number) => {
  const holds = [{ messageId: 'before', amount: 1 }]
  const pair = [
    { type: 'CreditsHeld', data: { holds: [{ ...holds[0], holder: 'before' }] } },
    { type: 'CreditsReleased', data: { holds } },
  ]
  const events = [
    { type: 'CreditsAdded', data: { commandId: null, amount: 8, note: null } },
    ...Array.from({ length: pairs }, () => pair).flat(),
  ]
  await model.log.append(walletStream(workspaceId), 'no_stream', events, contextOf('past'))
}

const entriesOf = async (model: ModelLog): Promise<readonly StatementEntry[]> => {
  const entries: StatementEntry[] = []
  for await (const entry of readStatement(model.log, workspaceId)) entries.push(entry)
  return entries
}
const isAccepted = (model: ModelLog, messageId: MessageId) =>
  model
    .events<MessageEvent>(messageStream(workspaceId, messageId))
    .some(({ type }) => type === 'MessageSent' || type === 'MessageDelivered')

const statusOf = (model: ModelLog, messageId: MessageId) =>
  model.events<MessageEvent>(messageStream(workspaceId, messageId)).reduce(message.evolve, message.initialState).status
const heldFor = async ({ commands }: Pick<Process, 'commands'>): Promise<readonly string[]> => [
  ...(await commands.load({ decider: wallet, stream: walletStream(workspaceId), workspaceId })).state.holds.keys(),
]

const works: fc.Arbitrary<Work> = fc.record({
  diesAt: fc.oneof({ weight: 1, arbitrary: fc.integer({ min: 1, max: 12 }) }, { weight: 1, arbitrary: fc.constant(1_000) }),
  does: fc.oneof(
    { weight: 4, arbitrary: fc.uniqueArray(fc.nat({ max: MESSAGES - 1 }), { minLength: 1, maxLength: 3 }).map((send) => ({ send })) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((topUp) => ({ topUp })) },
    { weight: 1, arbitrary: fc.nat({ max: MESSAGES - 1 }).map((n) => ({ receipt: n })) },
    { weight: 1, arbitrary: fc.constantFrom('passcode' as const, 'sweep' as const) },
  ),
})

it('whatever runs at once and dies, the books are right, every message is paid once or not at all, and every hold ends', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(0, 124),
      fc.array(works, { minLength: 1, maxLength: 8 }),
      async (scheduler, pairs, all) => {
        const model = modelLog()
        await accepted(model)
        await past(model, pairs)
        const running = Promise.allSettled(all.map((one, n) => work(model, scheduler, one, n)))
        await scheduler.waitFor(running)
        for (const outcome of await running) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Died)
        expect((await verifyWallet(model.log, workspaceId)).problems).toEqual([])

        // Later everything that died is swept: what was sent is paid, nothing else is, and what is still held is of messages that may still be sent (M58).
        const commands = createCommandRunner({ log: model.log })
        const sweeping = { log: model.log, commands, wallets: createWallets({ commands }), workspaceId }
        await sweepHolds(sweeping, LATER)
        for (const messageId of await heldFor(sweeping)) expect(statusOf(model, asMessageId(messageId))).toBe('queued')
        // Their next attempts end them.
        await attempt(sweeping, 'last', [...Array(MESSAGES).keys()])
        await sweepHolds(sweeping, LATER)
        const verified = await verifyWallet(model.log, workspaceId)
        const entries = await entriesOf(model)
        const sum = (entry: string) => entries.reduce((total, one) => (one.entry === entry ? total + one.amount : total), 0)
        expect(verified).toMatchObject({ ok: true, held: 0, balance: sum('topup') - sum('settle') })
        const paidFor = (id: string) =>
          entries.flatMap(({ entry, messageId, amount }) => (entry === 'settle' && messageId === id ? amount : []))
        for (let n = 0; n < MESSAGES; n++) expect(paidFor(idOf(n))).toEqual(isAccepted(model, asMessageId(idOf(n))) ? [n + 1] : [])
        for (const n of all.keys()) {
          const id = asMessageId(passcodeOf(n))
          expect(paidFor(id)).toEqual(isAccepted(model, id) ? [1] : [])
          // No message is left as if it were still to be sent.
          expect(statusOf(model, id)).not.toBe('queued')
        }
        for (const { balance, held } of entries) expect(Math.min(balance - held, held)).toBeGreaterThanOrEqual(0)
      },
    ),
    { numRuns: 300 },
  )
})
