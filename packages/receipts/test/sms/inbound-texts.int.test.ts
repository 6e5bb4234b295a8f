import { createHmac } from 'node:crypto'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  type ContactEvent,
  type ContactId,
  contact,
  contactStream,
  type Decider,
  type DomainEvent,
  eventDeclarations,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { comparePositions, type Position, START } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TakenSms } from '../../src/sms/inbound.ts'
import { createInboundTexts, type InboundTexts, withdrawnSince } from '../../src/sms/inbound-texts.ts'
import { createKeptTexts, FIRST_KEPT_TEXT } from '../../src/sms/kept-texts.ts'
import type { InboundOutcome } from '../../src/sms/take-inbound.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const phone = '+972501234567'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

/** The position up to which the read side shows the log; everything if it is null. */
let shownTo: Position | null
let isLogAway: boolean
let contactId: ContactId
let log: ReturnType<typeof createEventLog>
let runner: ReturnType<typeof createCommandRunner>
let decidedLater: InboundOutcome[]
let faults: unknown[]
let clock: number
let one: InboundTexts

const now = () => new Date(clock++).toISOString()
const execute = <C, E extends DomainEvent, S>(decider: Decider<C, E, S>, stream: string, command: C) =>
  runner.execute({
    decider,
    stream,
    command,
    context: { commandId: crypto.randomUUID(), workspaceId, actor: 'test', requestId: 'r', at: now() },
  })
const invert = (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ 0xff))

/** Another process over the same database and log. */
const openProcess = () =>
  createInboundTexts({
    taking: {
      runner,
      lastSmsTo: async (of) =>
        of.phone === phone && of.senderKey === 'ACME'
          ? { workspaceId, contactId, messageId: asMessageId(crypto.randomUUID()), phone, sender: 'Acme' }
          : null,
      writtenAmong: async ({ phones, senderKey }) => phones.filter((one) => one === phone && senderKey === 'ACME'),
      contactWith: async () => null,
      liftFacts: async () => undefined,
      withdrawnSince: (of) => withdrawnSince(log, of),
    },
    kept: createKeptTexts(db.pool, {
      digest: async (kind, value) => createHmac('sha256', 'secret').update(`${kind}|${value}`).digest('base64url'),
      seal: async (plain) => invert(plain),
      open: async (sealed) => invert(sealed),
    }),
    head: () => (isLogAway ? Promise.reject(new Error('the log is away')) : log.head()),
    shows: async (position) => shownTo === null || comparePositions(position, shownTo) <= 0,
    onDecided: (outcome) => decidedLater.push(outcome),
    onFault: (error) => faults.push(error),
  })

beforeEach(async () => {
  await db.pool.query('truncate ops.inbound_text')
  const keyRing = memoryKeyRing()
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })
  contactId = asContactId(crypto.randomUUID())
  clock = Date.parse('2026-01-01T00:09:30.000Z')
  shownTo = null
  isLogAway = false
  decidedLater = []
  faults = []
  one = openProcess()
  const created = { workspaceId, slug: 'acme', name: 'Acme', plan: 'pro', country: 'IL', tracking: false } as const
  await execute(workspace, workspaceStream(workspaceId), { type: 'CreateWorkspace', data: created })
  await execute(workspace, workspaceStream(workspaceId), { type: 'SetStopWords', data: { words: ['basta'] } })
  const details = { phone: { value: phone, claimId: 'c' }, details: {}, source: 'api' }
  await execute(contact, contactStream(workspaceId, contactId), { type: 'CreateContact', data: { contactId, ...details } })
})

let ids = 0
const text = (body: string, more: Partial<TakenSms> = {}) =>
  one.take({ providerMessageId: 'SM', id: `SM${++ids}`, requestId: 'r', from: phone, to: 'acme', body, at: now(), ...more })
const ofContact = async () => (await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state
const sms = async () => (await ofContact()).consents.sms
const moves = async () =>
  (await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))).flatMap((event) =>
    event.type === 'ContactConsentRecorded' ? [event.data.to] : [],
  )
const waiting = async () => (await db.pool.query('select from ops.inbound_text')).rowCount
/** Their time has come. */
const takeDue = async (process = one) => {
  await db.pool.query('update ops.inbound_text set due_at = clock_timestamp()')
  await process.takeDue()
}
const behind = () => {
  shownTo = START
}
const caughtUp = () => {
  shownTo = null
}

test('a text is decided at once where the read side shows what was written before it, and nothing of it is kept', async () => {
  expect([await text('STOP'), await text('hello'), await text('HELP')]).toEqual(['stop', 'other', 'help'])
  expect([await sms(), await waiting()]).toEqual(['unsubscribed', 0])
})

test('START that the gateway delivers again comes before the STOP that was said after it', async () => {
  const guessed = { isIdGuessed: true } as const
  expect(await text('STOP', { id: 'a', ...guessed })).toBe('stop')
  behind()
  const start = { id: 'b', at: now(), ...guessed }
  expect(await text('START', start)).toBe('behind')
  caughtUp()
  expect(await text('STOP', { id: 'c', ...guessed })).toBe('behind')
  expect(await text('START', start)).toBe('behind')
  await takeDue()
  expect(await text('START', start)).toBe('late')
  expect([await sms(), await moves()]).toEqual(['unsubscribed', ['unsubscribed', 'subscribed', 'unsubscribed']])
  expect((await ofContact()).suppressions.sms).toEqual(['sms_stop'])
})

test.each(['STOP', 'basta'])(
  '%s that no gateway delivers again is decided once the read side has caught up, by any process',
  async (said) => {
    behind()
    expect(await text(said)).toBe('behind')
    await takeDue()
    expect([await sms(), await waiting(), decidedLater]).toEqual(['never_subscribed', 1, []])
    caughtUp()
    await takeDue(openProcess())
    expect([await sms(), await waiting(), decidedLater]).toEqual(['unsubscribed', 0, ['stop']])
  },
)

test('texts of one number are decided in the order in which they came, in whichever process', async () => {
  behind()
  for (const said of ['START', 'STOP', 'START', 'hello', 'basta', 'START']) await text(said)
  caughtUp()
  const others = Array.from({ length: 4 }, openProcess)
  await db.pool.query('update ops.inbound_text set due_at = clock_timestamp()')
  await Promise.all([text('STOP'), ...others.map((process) => process.takeDue())])
  await takeDue()
  expect(await moves()).toEqual(['subscribed', 'unsubscribed', 'subscribed', 'unsubscribed', 'subscribed', 'unsubscribed'])
})

test('a text waits for what the log had when it came, and never for more', async () => {
  shownTo = START
  await text('STOP')
  shownTo = await log.head()
  await execute(workspace, workspaceStream(workspaceId), { type: 'SetStopWords', data: { words: ['other'] } })
  await takeDue()
  expect(await sms()).toBe('unsubscribed')
})

test('a text that came while the log was away is decided when it is back', async () => {
  isLogAway = true
  expect(await text('STOP')).toBe('behind')
  isLogAway = false
  await takeDue()
  expect([await sms(), faults]).toEqual(['unsubscribed', [new Error('the log is away')]])
})

test('a process that dies while it has a text leaves it to another', async () => {
  behind()
  await text('STOP')
  await db.pool.query(`update ops.inbound_text set due_at = clock_timestamp() + interval '30 seconds'`)
  caughtUp()
  await one.takeDue()
  expect(await sms()).toBe('never_subscribed')
  await takeDue(openProcess())
  expect(await sms()).toBe('unsubscribed')
})

const recordConsent = (status: 'subscribed' | 'unsubscribed') =>
  execute(contact, contactStream(workspaceId, contactId), {
    type: 'RecordConsent',
    data: { contactId, consents: [{ channel: 'sms', status, source: 'api', ip: null, userAgent: null }] },
  })

test.each([0, 5_000, -5_000])(
  'a START by a clock %i ms ahead that is decided late does not pass a withdrawal by another way, and a STOP counts in any case',
  async (ahead) => {
    const at = () => new Date(clock++ + ahead).toISOString()
    behind()
    await text('START', { at: at() })
    await recordConsent('unsubscribed')
    caughtUp()
    await takeDue()
    expect([await sms(), decidedLater]).toEqual(['unsubscribed', ['late']])
    behind()
    await text('STOP', { at: at() })
    await recordConsent('subscribed')
    caughtUp()
    await takeDue()
    expect(await sms()).toBe('unsubscribed')
  },
)

test('a text that was put off, or had, while the clock of the database was a day ahead is decided by its own time', async () => {
  behind()
  await text('STOP')
  await db.pool.query(`update ops.inbound_text set due_at = clock_timestamp() + interval '1 day'`)
  caughtUp()
  const { rows } = await db.pool.query(`select ${FIRST_KEPT_TEXT} as ms`)
  expect(Number(rows[0].ms)).toBe(0)
  await openProcess().takeDue()
  expect([await sms(), await waiting()]).toEqual(['unsubscribed', 0])
})

test('a text whose number is written as it is dialled waits like any other', async () => {
  behind()
  await text('STOP', { from: '050-123-4567' })
  await text('START', { from: '0501234567' })
  caughtUp()
  await takeDue()
  expect(await moves()).toEqual(['unsubscribed', 'subscribed'])
})

test('one text is kept once, and a STOP behind a START that is behind another STOP of its minute is one of its own', async () => {
  behind()
  const guessed = { isIdGuessed: true } as const
  await text('STOP', { id: 'a', ...guessed })
  await text('STOP', { id: 'a', ...guessed })
  await text('START', { id: 'b', ...guessed })
  await text('START', { id: 'b', ...guessed })
  await text('STOP', { id: 'a', ...guessed })
  await text('START', { id: 'twilio' })
  await text('START', { id: 'twilio' })
  expect(await waiting()).toBe(4)
  caughtUp()
  await takeDue()
  expect(await moves()).toEqual(['unsubscribed', 'subscribed', 'unsubscribed', 'subscribed'])
})

test('of one number so many wait, and its last STOP among them', async () => {
  behind()
  await text('STOP')
  for (let n = 0; n < 40; n++) await text(`hello ${n}`)
  await text('STOP', { from: '+972509999999' })
  expect(await waiting()).toBe(22)
  caughtUp()
  await takeDue()
  expect([await sms(), await waiting()]).toEqual(['unsubscribed', 0])
})

test('a text that cannot be decided for its own sake delays neither other numbers nor, for good, its own', async () => {
  behind()
  await text('START')
  await db.pool.query(`update ops.inbound_text set sealed = 'damaged'`)
  await text('STOP')
  caughtUp()
  for (let n = 0; n < 6; n++) await takeDue()
  expect([await sms(), await waiting()]).toEqual(['unsubscribed', 1])
})

test('the table says neither who wrote nor what, and lets go of a number', async () => {
  behind()
  await text('STOP please')
  await text('basta')
  const { rows } = await db.pool.query('select t::text as row, encode(sealed, $1) as sealed from ops.inbound_text t', ['escape'])
  for (const { row, sealed } of rows) expect(`${row}${sealed}`).not.toMatch(/501234567|STOP|basta|acme/i)
  const kept = createKeptTexts(db.pool, {
    digest: async (kind, value) => createHmac('sha256', 'secret').update(`${kind}|${value}`).digest('base64url'),
    seal: async (plain) => invert(plain),
    open: async (sealed) => invert(sealed),
  })
  const saysStop = async (sms: TakenSms) => sms.body.startsWith('STOP')
  expect(await kept.which(['+972509999999', 'a@example.com'], async () => true)).toEqual([])
  const ours = await kept.which([phone], saysStop)
  for (const seq of ours) await kept.done(seq)
  expect([ours.length, await waiting()]).toEqual([1, 1])
  // No process reads a damaged one, which is given up after some tries.
  await db.pool.query(`update ops.inbound_text set sealed = 'damaged'`)
  await expect(kept.which([phone], saysStop)).rejects.toThrow(SyntaxError)
  await db.pool.query('update ops.inbound_text set tries = 5')
  expect(await kept.which([phone], saysStop)).toHaveLength(1)
})
