import type { EventLog } from '@tidings/codec'
import { createSenderNumberView } from '@tidings/directory'
import { asMessageId, type MessageId } from '@tidings/domain'
import { Fenced, type Job, type Lease } from '@tidings/jobs'
import { createSmsProvider, type SmsProvider } from '@tidings/providers'
import { startSmsc } from '@tidings/testing/smsc'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { reconcileHolds, sweepHolds } from '@tidings/wallet'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createFlowView } from '../../src/flows/flow-view.ts'
import { createRecentMessages } from '../../src/send/recent-messages.ts'
import { createPayments } from '../../src/send-sms/payments.ts'
import { type SmsSending, sendSms } from '../../src/send-sms/send-sms.ts'
import { createCampaignView } from '../../src/views/campaign-view.ts'
import { createRecipientView } from '../../src/views/recipient-view.ts'
import { createSenderIdView } from '../../src/views/sender-id-view.ts'
import { createWorkspaceView } from '../../src/views/workspace-view.ts'
import { immortal, type Mortal, processThatDies } from '../testing/process-that-dies.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending } from '../testing/sending.ts'
import { createSmsRig, NUMBER, SENDER, type SmsRig } from '../testing/sms-rig.ts'

let twilio: TwilioServer
let provider: SmsProvider
let sms: SmsRig
setUpSending()
beforeEach(async () => {
  twilio = await startTwilioServer()
  provider = await openProvider()
  sms = createSmsRig(rig)
  await sms.decideSender({ type: 'ConfigureSenderId', data: { senderId: SENDER, status: 'approved' } })
  await sms.addCredits(100)
})
afterEach(async () => {
  await provider.close()
  await twilio.stop()
})

const openProvider = () => createSmsProvider({ provider: twilio.url, publicUrl: 'http://127.0.0.1:1', pool: db.pool })

const sendingOf = (mortal: Mortal = immortal): SmsSending => {
  const log: EventLog = {
    ...rig.log,
    append: mortal(rig.log.append),
    readStream: mortal(rig.log.readStream) as EventLog['readStream'],
    confirm: mortal(async () => await rig.log.confirm()),
  }
  const { hold, settle, release, isCrowded } = rig.wallets
  const wallets = { hold: mortal(hold), settle: mortal(settle), release: mortal(release), isCrowded: mortal(isCrowded) }
  const sweeping = { log: rig.log, commands: rig.runner, wallets: rig.wallets, workspaceId: WORKSPACE }
  return {
    log,
    provider: { ...provider, send: mortal(provider.send) },
    payments: createPayments({ wallets, reconcile: mortal((_, ids) => reconcileHolds(sweeping, ids)), onFault: () => undefined }),
    recipients: createRecipientView(rig.log),
    senderIds: createSenderIdView(rig.log),
    senderNumbers: createSenderNumberView(rig.log),
    workspaces: createWorkspaceView(rig.log),
    campaigns: createCampaignView(rig.log),
    flows: createFlowView(rig.log),
    suspended: { putOff: async () => ({ type: 'Deferred', inMs: 0, counts: false, deferredFor: 'workspace_suspended' }) },
    recent: createRecentMessages(),
    pool: db.pool,
    now: Date.now,
    retryDelaysMs: [],
    unconfirmedMs: 0,
  }
}

const ours: Lease = {
  ensure: () => undefined,
  keep: () => ({ lost: () => false, end: () => undefined }),
  markTarget: async () => undefined,
}
const jobOf = (payload: string, takenOver = false): Job => ({
  workspaceId: WORKSPACE,
  seq: 1n,
  attempt: 0,
  payload,
  takenOver,
  claimedBefore: takenOver,
})
const signal = new AbortController().signal
const attempt = (sending: SmsSending, job: Job, lease: Lease = ours) => sendSms(sending, job, lease, signal)
const sweep = () => sweepHolds({ log: rig.log, commands: rig.runner, wallets: rig.wallets, workspaceId: WORKSPACE }, Date.now() + 3_600_000)
const entriesOf = async (messageId: MessageId, entry: string) => (await sms.paymentsOf(messageId)).filter((one) => one === entry).length

/** Lets one attempt die at each of its points in turn, and others finish what it began; calls `check` for each message. */
const killEverywhere = async (check: (messageId: MessageId) => Promise<void>): Promise<number> => {
  const contactId = await sms.newContact(NUMBER)
  for (let at = 0; ; at++) {
    const messageId = asMessageId(await sms.accept(contactId))
    // One that has not heard of many missing answers: they would be an outage.
    await provider.close()
    provider = await openProvider()
    const { mortal, hasDied } = processThatDies(at)
    await attempt(sendingOf(mortal), jobOf(messageId)).catch(() => undefined)
    if (!hasDied()) return at
    for (const takenOver of [true, false]) await attempt(sendingOf(), jobOf(messageId, takenOver))
    await sweep()
    await check(messageId)
  }
}

describe('an attempt that dies anywhere', () => {
  test('leaves a message that is sent, and paid once', async () => {
    const points = await killEverywhere(async (messageId) => {
      expect((await rig.messageOf(messageId)).status).toBe('sent')
      expect(await entriesOf(messageId, 'settle')).toBe(1)
      expect(await sms.credits()).toMatchObject({ held: 0 })
    })
    // Confirmation, reads, hold, call, append and settlement, before and after.
    expect(points).toBeGreaterThanOrEqual(12)
  })

  test('leaves a message that is refused, and costs nothing', async () => {
    twilio.control.rule = () => ({ status: 400, code: 21612, message: 'no route' })
    await killEverywhere(async (messageId) => {
      expect((await rig.messageOf(messageId)).status).toBe('failed')
      expect(await entriesOf(messageId, 'settle')).toBe(0)
    })
    expect(await sms.credits()).toMatchObject({ balance: 100, held: 0 })
  })

  test('leaves a message whose answer never came failed after its retry, and costs nothing', async () => {
    twilio.control.rule = () => 'cut after'
    await killEverywhere(async (messageId) => {
      // The retry of a process that has not died.
      await attempt(sendingOf(), { ...jobOf(messageId), attempt: 1 })
      await sweep()
      expect((await rig.messageOf(messageId)).failureReason).toBe('provider_unavailable')
      expect(await entriesOf(messageId, 'settle')).toBe(0)
    })
  })
})

describe('an attempt that has lost its lease', () => {
  const lost: Lease = { ...ours, ensure: () => Promise.reject(new Fenced('another worker has the job')) }

  test('does not call, and leaves the hold to the one that has it', async () => {
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    await expect(attempt(sendingOf(), jobOf(messageId), lost)).rejects.toBeInstanceOf(Fenced)
    expect([twilio.requests.length, await sms.credits()]).toMatchObject([0, { held: 1 }])
    await attempt(sendingOf(), jobOf(messageId))
    expect(await sms.paymentsOf(messageId)).toContain('settle')
    expect(await sms.credits()).toMatchObject({ balance: 99, held: 0 })
  })

  test('and took over the hold of the one that sends now, does not make that message free', async () => {
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    const [calling, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = sendingOf()
    const sends: SmsProvider['send'] = async (...args) => {
      calling.resolve()
      await mayAnswer.promise
      return await provider.send(...args)
    }
    const owner = attempt({ ...slow, provider: { ...provider, send: sends } }, jobOf(messageId))
    await calling.promise
    await expect(attempt(sendingOf(), jobOf(messageId), lost)).rejects.toBeInstanceOf(Fenced)
    mayAnswer.resolve()
    await owner
    await sweep()
    expect(await entriesOf(messageId, 'settle')).toBe(1)
    expect(await sms.credits()).toMatchObject({ balance: 99, held: 0 })
  })

  test('before a provider that is away, releases nothing', async () => {
    const messageId = await sms.accept(await sms.newContact(NUMBER))
    await twilio.stop()
    // The provider begins its outage with this call.
    await attempt(sendingOf(), jobOf(messageId))
    expect(await sms.credits()).toMatchObject({ held: 1 })
    await attempt(sendingOf(), jobOf(messageId), lost)
    expect(await sms.credits()).toMatchObject({ held: 1 })
    await twilio.start()
  })
})

test('a message that was sent while its hold was asked for is not sent again, and its hold ends', async () => {
  const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
  const first = sendingOf()
  let other: Promise<unknown> | undefined
  const hold: SmsSending['payments']['hold'] = async (order) => {
    other ??= attempt(sendingOf(), jobOf(messageId))
    await other
    return await first.payments.hold(order)
  }
  expect(await attempt({ ...first, payments: { hold } }, jobOf(messageId))).toBe('done')
  expect(twilio.taken).toHaveLength(1)
  expect(await sms.paymentsOf(messageId)).toEqual(['hold', 'settle', 'hold', 'release'])
})

describe('of several gateways', () => {
  const LONG = 'a'.repeat(400)

  test.each([
    ['takes a part and refuses the next for now, is bound to it', 1, undefined],
    ['takes nothing of for now, is bound to none', 0, true],
  ])('a text that the first %s', async (_, taken, wasNotHandedOver) => {
    const smsc = await startSmsc()
    onTestFinished(smsc.stop)
    const SYSTEM_ERROR = 8
    smsc.rules.submit = () => (smsc.submitted.length <= taken ? 0 : SYSTEM_ERROR)
    await provider.close()
    provider = await createSmsProvider({ provider: `${smsc.url},${twilio.url}`, publicUrl: 'http://127.0.0.1:1', pool: db.pool })
    const messageId = await sms.accept(await sms.newContact(NUMBER), { body: LONG })
    const marked: string[] = []
    const lease: Lease = { ...ours, markTarget: async (target) => void marked.push(target) }
    const verdict = await attempt({ ...sendingOf(), retryDelaysMs: [1_000] }, jobOf(messageId), lease)
    expect(verdict).toMatchObject({ type: 'Deferred', deferredFor: 'retry' })
    expect(typeof verdict === 'string' ? verdict : verdict.wasNotHandedOver).toBe(wasNotHandedOver)
    expect({ marked, other: twilio.requests }).toEqual({ marked: [new URL(smsc.url).host], other: [] })
  })
})
