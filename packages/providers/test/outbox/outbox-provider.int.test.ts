import { asMessageId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { EmailMessage, EmailProvider } from '../../src/email/port.ts'
import { emailProvider } from '../../src/open-provider.ts'
import { deleteFromOutbox, findInOutbox, listOutbox } from '../../src/outbox/outbox-store.ts'
import type { SendOptions } from '../../src/port.ts'
import { mail } from '../email/mail.fixture.ts'

const message = (n: number): EmailMessage => ({
  ...mail,
  messageId: asMessageId(`0192b1f0-0000-7000-8000-${String(n).padStart(12, '0')}`),
  requestId: `req-${n}`,
  to: n % 2 === 0 ? 'even@example.com' : 'odd@example.com',
  replyTo: 'help@acme.example',
  subject: `Hi ${n}`,
  html: `<p>Hi <b>${n}</b></p>`,
})
const options: SendOptions = { signal: new AbortController().signal, fence: async () => undefined, priority: 'transactional' }

let db: TestDatabase
let provider: EmailProvider
beforeAll(async () => {
  db = await testDatabase()
  provider = await emailProvider({ provider: 'outbox', publicUrl: 'https://mail.acme.example', pool: db.pool })
})
afterAll(() => db.drop())
beforeEach(() => deleteFromOutbox(db.pool))

test('a mail is in the outbox as it would have left', async () => {
  const { providerMessageId } = await provider.send(message(2), options)
  const [kept] = await listOutbox(db.pool)
  expect(kept).toMatchObject({
    channel: 'email',
    to: 'even@example.com',
    from: 'Acme <hello@acme.example>',
    subject: 'Hi 2',
    html: '<p>Hi <b>2</b></p>',
    text: 'Hi 2',
    messageId: message(2).messageId,
    headers: { 'Message-ID': `<${providerMessageId}>`, 'X-Request-Id': 'req-2', 'Reply-To': '<help@acme.example>' },
  })
  expect(await findInOutbox(db.pool, kept?.id ?? '')).toEqual(kept)
})

test('mail that can be unsubscribed from has those headers, as on the wire', async () => {
  await provider.send(
    { ...message(1), subscription: { unsubscribeUrl: 'https://mail.acme.example/u?t=x', sentBy: { kind: 'template', id: null } } },
    options,
  )
  expect((await listOutbox(db.pool))[0]?.headers).toMatchObject({
    'List-Unsubscribe': '<https://mail.acme.example/u?t=x>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

test('the newest is first, and the outbox can be asked for one address', async () => {
  for (let n = 1; n <= 4; n++) await provider.send(message(n), options)
  expect((await listOutbox(db.pool)).map(({ subject }) => subject)).toEqual(['Hi 4', 'Hi 3', 'Hi 2', 'Hi 1'])
  expect((await listOutbox(db.pool, { to: 'ODD@example.com' })).map(({ subject }) => subject)).toEqual(['Hi 3', 'Hi 1'])
  expect(await listOutbox(db.pool, { channel: 'sms' })).toEqual([])
})

test('it keeps the last 1 000 and no more than a batch of trimming beyond', async () => {
  await Promise.all(Array.from({ length: 2_600 }, (_, n) => provider.send(message(n), options)))
  const { rows } = await db.pool.query<{ kept: number }>('select count(*)::int as kept from outbox.message')
  expect(rows[0]?.kept).toBeGreaterThanOrEqual(1_000)
  expect(rows[0]?.kept).toBeLessThan(1_700)
  expect(await listOutbox(db.pool)).toHaveLength(1_000)
})

test('it refuses the headers that SMTP would refuse', async () => {
  await expect(provider.send({ ...message(1), subject: 'a\r\nBcc: b@example.com' }, options)).rejects.toMatchObject({ failure: 'refused' })
  expect(await listOutbox(db.pool)).toEqual([])
})

test('an address that is no provider is one sentence', async () => {
  const settings = { publicUrl: 'http://127.0.0.1:3000', pool: db.pool }
  await expect(emailProvider({ ...settings, provider: 'ftp://x' })).rejects.toThrow(
    'must be "outbox", or an address that starts with smtp://',
  )
})
