import { parseMasterKey } from '@tidings/codec'
import { asMessageId, type ContactId, contact, contactStream, type MessageId, messageStream, type WorkspaceId } from '@tidings/domain'
import { createReturnPaths } from '@tidings/providers'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { type Greenmail, startGreenmail } from '@tidings/testing/greenmail'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { BounceOutcome } from '../../src/bounces/read-mailbox.ts'
import { type BouncesOptions, startBounces } from '../../src/bounces/start-bounces.ts'
import { EVERY_JOB } from '../testing/every-job.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

const greenmail: Greenmail | null = await startGreenmail()
const derivers = [parseMasterKey('00'.repeat(32)).derive] as const
const returnPaths = createReturnPaths({ address: 'bounces@example.com', derive: () => derivers })

let db: TestDatabase
let sink: SmtpSink
let rig: Rig
beforeAll(async () => {
  db = await testDatabase()
  sink = await startSmtpSink()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  await rig.consume(sink.url, {}, { returnPaths })
})
afterAll(async () => {
  await rig.close()
  await sink.stop()
  await greenmail?.stop()
  await db.drop()
})

/** Whatever follows from what the log has is in it too. */
const atRest = (): Promise<void> =>
  until(async () => {
    const { rows } = await db.pool.query<{ jobs: number; at: bigint }>(
      `select (select count(*)::int from ${EVERY_JOB}) as jobs, min(position_commit) as at from ops.consumer_checkpoint`,
    )
    expect(rows).toEqual([{ jobs: 0, at: (await rig.log.head()).commit }])
  })

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  for (const reader of running.splice(0)) await reader.stop()
})

/** Messages that the log has are shown. */
const shown = async (ids: readonly string[]): Promise<ReadonlyMap<string, WorkspaceId>> => {
  const known = await Promise.all(
    ids.map(async (id) => ((await rig.eventsOf(asMessageId(id))).length > 0 ? [[id, WORKSPACE] as const] : [])),
  )
  return new Map(known.flat())
}

function read(changes: Partial<BouncesOptions> = {}) {
  const outcomes: BounceOutcome[] = []
  const outages: (string | null)[] = []
  const faults: unknown[] = []
  const reader = startBounces({
    mailboxUrl: greenmail!.imap,
    mailCallMs: 60_000,
    pollMs: 200,
    retryMs: 20,
    pool: db.pool,
    commands: rig.runner,
    lookup: { workspacesOfMessages: shown, messagesOfProviderIds: async () => new Map(), shownOrUnknown: async (ids) => new Set(ids) },
    returnPaths,
    now: () => '2026-11-21T10:00:00.000Z',
    onMail: (outcome) => outcomes.push(outcome),
    onOutage: (reason) => outages.push(reason),
    logger: recordingLogger(faults),
    ...changes,
  })
  running.push(reader)
  return { outcomes, outages, faults, stop: reader.stop }
}

type Sent = Readonly<{ contactId: ContactId; messageId: MessageId; returnPath: string }>

async function sent(email: string): Promise<Sent> {
  const contactId = await rig.newContact(email)
  const messageId = asMessageId(await rig.accept(contactId, { to: email }))
  await until(async () => expect((await rig.messageOf(messageId)).status).toBe('sent'))
  return { contactId, messageId, returnPath: sink.mails.find(({ to }) => to.includes(email))?.from ?? '' }
}

/** The mail that comes back over SMTP to an envelope sender: a report about its message. */
const report = (to: string, fields: string, type = 'message/delivery-status') =>
  post(
    to,
    `To: ${to}\nMIME-Version: 1.0\nContent-Type: multipart/report; boundary="=_b"\n\n--=_b\nContent-Type: ${type}\n\n${fields}\n\n--=_b--\n`,
  )
const bounce = (to: string, status: string) => report(to, `Reporting-MTA: dns; mx\n\nAction: failed\nStatus: ${status}`)
const post = (to: string, raw: string): Promise<void> => greenmail!.post(to, raw)

describe.runIf(greenmail !== null)('the mailbox of bounces', () => {
  test('turns what comes back into receipts, and what is none changes nothing', async () => {
    const [hard, soft, spam, away, safe] = await Promise.all(
      ['hard', 'soft', 'spam', 'away', 'safe'].map((name) => sent(`${name}@example.com`)),
    )
    expect(hard!.returnPath).toBe(returnPaths.addressOf(hard!.messageId))
    const forged = safe!.returnPath.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))
    await bounce(hard!.returnPath, '5.1.1')
    await bounce(soft!.returnPath, '4.4.7')
    await report(spam!.returnPath, 'Feedback-Type: abuse\nVersion: 1', 'message/feedback-report')
    await post(away!.returnPath, `To: ${away!.returnPath}\nAuto-Submitted: auto-replied\n\nBack on Monday`)
    await bounce(forged, '5.1.1')
    await post(safe!.returnPath, `To: ${safe!.returnPath}\n\nWhere is my order?`)
    const { outcomes } = read()
    await until(() => expect(outcomes).toEqual(['applied', 'applied', 'applied', 'auto_reply', 'stranger', 'unreadable']))
    expect((await rig.messageOf(hard!.messageId)).status).toBe('bounced')
    expect(await rig.messageOf(soft!.messageId)).toMatchObject({ status: 'bounced', failureReason: 'soft_bounce' })
    expect((await rig.messageOf(spam!.messageId)).status).toBe('complained')
    for (const { messageId } of [away!, safe!]) expect((await rig.messageOf(messageId)).status).toBe('sent')
    await until(async () =>
      expect(await rig.contactOf(hard!.contactId)).toMatchObject({
        suppressions: { email: ['hard_bounce', 'invalid_address'] },
        consents: { email: 'cleaned' },
      }),
    )
    expect((await rig.contactOf(safe!.contactId)).consents.email).not.toBe('cleaned')
  })

  test('read again from its beginning changes nothing more: after a crash before the cursor moved, a restored backup, another numbering', async () => {
    const again = async (changed: string): Promise<readonly BounceOutcome[]> => {
      await db.pool.query(`update ops.bounce_mailbox set ${changed}`)
      const { outcomes, stop } = read()
      await until(() => expect(outcomes).toHaveLength(6))
      await stop()
      return outcomes
    }
    // The log keeps the first repetition of a receipt.
    await again('last_uid = 0')
    await atRest()
    const head = await rig.log.head()
    const repeated = ['repeated', 'repeated', 'repeated', 'auto_reply', 'stranger', 'unreadable']
    expect(await again('last_uid = 0')).toEqual(repeated)
    expect(await again('uid_validity = uid_validity + 1')).toEqual(repeated)
    expect(await rig.log.head()).toEqual(head)
  })

  test('waits with a bounce of a message that the read side does not show yet, and with what is behind it', async () => {
    const late = await sent('late@example.com')
    let isBehind = true
    const lookup = {
      workspacesOfMessages: async (ids: readonly string[]) => (isBehind ? new Map<string, WorkspaceId>() : shown(ids)),
      messagesOfProviderIds: async () => new Map(),
      shownOrUnknown: async () => new Set<string>(),
    }
    await bounce(late.returnPath, '5.1.1')
    const { outcomes, outages } = read({ lookup })
    await until(() => expect(outages).toEqual(['the message of a bounce is not shown yet']))
    expect(outcomes).toEqual([])
    isBehind = false
    await until(() => expect(outcomes).toEqual(['applied']))
    expect(outages.at(-1)).toBeNull()
  })

  test('is read page by page, and a mail that cannot be taken does not keep the others back for ever', async () => {
    const [poison, good] = [await sent('poison@example.com'), await sent('good@example.com')]
    for (let n = 0; n < 22; n++) await post('bounces@example.com', `To: bounces@example.com\nSubject: ${n}\n\nBuy`)
    await bounce(poison.returnPath, '5.1.1')
    await bounce(good.returnPath, '5.1.1')
    const execute: Rig['runner']['execute'] = async (asked) => {
      if (asked.stream === messageStream(WORKSPACE, poison.messageId)) throw new Error('broken')
      return await rig.runner.execute(asked)
    }
    const { outcomes, faults } = read({ commands: { ...rig.runner, execute } })
    await until(() => expect(outcomes).toEqual([...Array(22).fill('stranger'), 'failed', 'applied']))
    expect(faults).toEqual([new Error('broken')])
    expect((await rig.messageOf(good.messageId)).status).toBe('bounced')
  })

  test('has one reader at a time, and the next takes over where it ended', async () => {
    const first = read()
    await until(async () => {
      const { rows } = await db.pool.query('select 1 from ops.bounce_mailbox where expires_at > clock_timestamp()')
      expect(rows).toHaveLength(1)
    })
    const second = read()
    const one = await sent('one@example.com')
    await bounce(one.returnPath, '5.1.1')
    await until(() => expect(first.outcomes).toEqual(['applied']))
    await first.stop()
    const two = await sent('two@example.com')
    await bounce(two.returnPath, '5.1.1')
    await until(() => expect(second.outcomes).toEqual(['applied']))
    expect(first.outcomes).toEqual(['applied'])
  })

  test('is read on when its server was away and came back as another, whose numbers begin anew', async () => {
    const back = await sent('back@example.com')
    const { outcomes, outages } = read()
    await greenmail!.stop()
    await until(() => expect(outages).toEqual([expect.stringContaining('cannot be used')]))
    await greenmail!.start()
    await bounce(back.returnPath, '5.1.1')
    await until(() => expect(outcomes).toEqual(['applied']))
    expect(outages).toEqual([expect.not.stringContaining('s3cret'), null])
    const { rows } = await db.pool.query('select last_uid::int from ops.bounce_mailbox')
    expect(rows).toEqual([{ last_uid: 1 }])
  })

  test('unsubscribes who writes to the address that their mail names for that: once a mail', async () => {
    const { contactId, messageId } = await sent('reader@example.com')
    const address = returnPaths.unsubscribeAddressOf(messageId)
    const consent = async () => (await rig.contactOf(contactId)).consents.email
    const id = 'Message-ID: <one@reader.example>'
    await post(address, `${id}\nTo: ${address}\nSubject: unsubscribe\n\n`)
    const first = read()
    await until(() => expect(first.outcomes).toContain('unsubscribed'))
    await first.stop()
    expect(await consent()).toBe('unsubscribed')
    await rig.runner.execute({
      decider: contact,
      stream: contactStream(WORKSPACE, contactId),
      command: {
        type: 'RecordConsent',
        data: { contactId, consents: [{ channel: 'email', status: 'subscribed', source: 'api', ip: null, userAgent: null }] },
      },
      context: { commandId: `${messageId}:again`, workspaceId: WORKSPACE, actor: 'api', requestId: 'r', at: '2026-11-21T10:00:00.000Z' },
    })
    await db.pool.query('update ops.bounce_mailbox set last_uid = 0')
    const again = read()
    await until(() => expect(again.outcomes).toContain('unsubscribed'))
    expect(await consent()).toBe('subscribed')
    const unsubscribed = (times: number) =>
      until(() => expect(again.outcomes.filter((outcome) => outcome === 'unsubscribed')).toHaveLength(times))
    // A forwarder's copy of the same mail.
    await post(address, `Received: from loop.example by loop.example; Sat, 21 Nov 2026 10:01:00 +0000\n${id}\nTo: ${address}\n\n`)
    await unsubscribed(2)
    expect(await consent()).toBe('subscribed')
    await post(address, `To: ${address}\nSubject: again\n\n`)
    await unsubscribed(3)
    expect(await consent()).toBe('unsubscribed')
    const events = async () => (await rig.log.readStream(WORKSPACE, contactStream(WORKSPACE, contactId))).length
    await post(address, `To: ${address}\nSubject: once more\n\n`)
    await unsubscribed(4)
    const before = await events()
    for (const n of [1, 2, 3]) await post(address, `To: ${address}\nSubject: repeated ${n}\n\n`)
    await unsubscribed(7)
    expect(await events()).toBe(before)
  })
})
