import { readStatement, type StatementEntry, verifyWallet } from '@tidings/wallet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { codeIn, lastTo, newNumber, passcodesOf, SENDERS, wrongFor } from './support/passcodes.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let otp: ReturnType<typeof passcodesOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', `credits: 1000\ncountry: IL\n${SENDERS}`)
  otp = passcodesOf(acme)
})
afterAll(() => world.stop())

const wallet = async (client: Client = acme) => {
  const { balance, held, ok } = await verifyWallet(world.stores.log, client.applied.workspace.id)
  return { balance, held, ok }
}
const invalidPhone = uncoded(400, 'A valid mobile phone number is required')
const capReached = uncoded(429, 'Too many verification requests for this number')

describe('a passcode by text message', () => {
  it('is sent from the oldest sender, costs a credit, is a message without a contact, and is right once', async () => {
    const before = await wallet()
    const phone = newNumber()
    const sent = await otp.send(phone)
    expect(sent).toEqual({ verificationId: expect.stringMatching(/^[\w-]{21}$/), channel: 'sms', expiresInSeconds: 300, segments: 1 })
    const text = await lastTo(world, 'sms', phone)
    expect(text).toMatchObject({ to: phone, from: 'Acme', body: expect.stringMatching(/^Your verification code is \d{6}$/) })
    expect(await acme.messageWith(text.messageId, 'sent')).toMatchObject({ channel: 'sms', failureReason: null })
    expect(await wallet()).toEqual({ balance: before.balance - 1, held: 0, ok: true })
    const code = codeIn(text.body)
    expect(await otp.verify(sent.verificationId, wrongFor(code))).toEqual({ verified: false, reason: 'code_mismatch' })
    expect(await otp.verify(sent.verificationId, code)).toEqual({ verified: true })
    expect(await otp.verify(sent.verificationId, code)).toEqual({ verified: false, reason: 'expired_or_unknown' })
  })

  it('has the caller’s words where they hold the token, under the sender that was named', async () => {
    const phone = newNumber()
    const { segments } = await otp.send(phone, { message: 'קוד: {{code}} / {{code}}', senderId: 'sECOND' })
    expect(segments).toBe(1)
    const { body, from } = await lastTo(world, 'sms', phone)
    expect(from).toBe('Second')
    expect(body).toMatch(/^קוד: (\d{6}) \/ \1$/)
    await otp.send(phone, { message: 'no token: {{ code }}' })
    expect((await lastTo(world, 'sms', phone)).body).toMatch(/^Your verification code is \d{6}$/)
  })

  it('is priced by its text: the segments are given, the credits are paid', async () => {
    const before = await wallet()
    const { segments } = await otp.send(newNumber(), { message: `${'a'.repeat(300)}{{code}}` })
    expect(segments).toBe(2)
    expect((await wallet()).balance).toBe(before.balance - 2)
    const hebrew = await otp.send(newNumber(), { message: `${'ש'.repeat(130)}{{code}}` })
    expect(hebrew.segments).toBe(3)
    expect((await wallet()).balance).toBe(before.balance - 2 - 2)
  })

  it('that is asked for again leaves the earlier one as it is', async () => {
    const phone = newNumber()
    const first = await otp.send(phone)
    const code = codeIn((await lastTo(world, 'sms', phone)).body)
    const second = await otp.send(phone)
    expect(second.verificationId).not.toBe(first.verificationId)
    expect(await otp.verify(first.verificationId, code)).toEqual({ verified: true })
  })
})

it('a passcode by call is said digit by digit, and costs its segments', async () => {
  const before = await wallet()
  const phone = newNumber()
  const { verificationId, segments, channel } = await otp.send(phone, { channel: 'voice', message: `${'a'.repeat(150)}{{code}}` })
  expect({ channel, segments }).toEqual({ channel: 'voice', segments: 2 })
  const call = await lastTo(world, 'voice', phone)
  expect(call.body).toMatch(/^a{150}\d( \d){5}$/)
  expect((await wallet()).balance).toBe(before.balance - 2)
  expect(await acme.messageWith(call.messageId, 'sent')).toMatchObject({ channel: 'voice' })
  expect(await otp.verify(verificationId, codeIn(call.body))).toEqual({ verified: true })
})

describe('attempts', () => {
  it('are five; the sixth discards the passcode though it is right, and from then on it is unknown', async () => {
    const phone = newNumber()
    const { verificationId } = await otp.send(phone)
    const code = codeIn((await lastTo(world, 'sms', phone)).body)
    for (let n = 0; n < 5; n++)
      expect(await otp.verify(verificationId, wrongFor(code))).toEqual({ verified: false, reason: 'code_mismatch' })
    expect(await otp.verify(verificationId, code)).toEqual({ verified: false, reason: 'too_many_attempts' })
    expect(await otp.verify(verificationId, code)).toEqual({ verified: false, reason: 'expired_or_unknown' })
  })

  it('at once with the right code are right once', async () => {
    const phone = newNumber()
    const { verificationId } = await otp.send(phone)
    const code = codeIn((await lastTo(world, 'sms', phone)).body)
    const results = await Promise.all(Array.from({ length: 50 }, () => otp.verify(verificationId, code)))
    expect(results.filter(({ verified }) => verified)).toHaveLength(1)
    expect(results.filter(({ reason }) => reason === 'expired_or_unknown')).toHaveLength(49)
  })

  it.each(['', 'x', '../../../../etc/passwd', 'a'.repeat(64), `${'a'.repeat(20)}\n`, '𝒳'.repeat(21), "' or '1'='1' -- aaaaa"])(
    'at a passcode that was never issued are answered: %j',
    async (verificationId) => {
      expect(await otp.verify(verificationId, '123456')).toEqual({ verified: false, reason: 'expired_or_unknown' })
    },
  )

  it('are counted whatever is given as a code', async () => {
    const { verificationId } = await otp.send(newNumber())
    for (const code of ['', '12345', '٠١٢٣٤٥', '1'.repeat(12), '😀'.repeat(12)])
      expect(await otp.verify(verificationId, code)).toEqual({ verified: false, reason: 'code_mismatch' })
    expect(await otp.verify(verificationId, '')).toEqual({ verified: false, reason: 'too_many_attempts' })
  })

  it('that are repeated under one key count once, and have the first result', async () => {
    const phone = newNumber()
    const { verificationId } = await otp.send(phone)
    const code = codeIn((await lastTo(world, 'sms', phone)).body)
    const body = { verificationId, code }
    const key = { 'Idempotency-Key': 'verify-once' }
    for (const replayed of [null, 'true']) {
      const answer = await acme.request('POST', '/otp/verify', body, key)
      expect(dataOf(answer, 200)).toEqual({ verified: true })
      expect(answer.headers.get('idempotent-replayed')).toBe(replayed)
    }
  })
})

describe('a request is refused', () => {
  const at = { phone: '+972501234567' }
  it.each([
    [{}, uncoded(400, 'phone must be a string')],
    [{ phone: 5 }, uncoded(400, 'phone must be a string')],
    [{ phone: '+'.repeat(33) }, uncoded(400, 'phone must be shorter than or equal to 32 characters')],
    [{ ...at, channel: 'whatsapp' }, uncoded(400, 'channel must be one of the following values: sms, voice')],
    [{ ...at, message: 'x'.repeat(321) }, uncoded(400, 'message must be shorter than or equal to 320 characters')],
    [{ ...at, senderId: 'x'.repeat(12) }, uncoded(400, 'senderId must be shorter than or equal to 11 characters')],
    [{ ...at, code: '123456' }, uncoded(400, 'property code should not exist')],
    [{ ...at, message: '{{code}}\u0000' }, uncoded(400, 'Request contains invalid characters')],
    [{ phone: '0501234567' }, invalidPhone],
    [{ phone: '972501234567', senderId: '' }, invalidPhone],
    [{ phone: '+14155552671' }, invalidPhone],
    [{ ...at, senderId: '' }, coded(400, 'sender_id_required')],
    [{ ...at, senderId: 'Info' }, coded(400, 'sender_id_required')],
    [{ ...at, senderId: 'Later' }, coded(400, 'sender_id_not_approved')],
    [{ ...at, senderId: 'Unknown' }, coded(400, 'sender_id_not_approved')],
  ])('%j', async (body, expected) => {
    const before = await wallet()
    expect(outcome(await otp.ask(body))).toEqual(expected)
    expect(await wallet()).toEqual(before)
  })

  it('without an approved sender', async () => {
    const none = passcodesOf(await world.workspace('senderless', 'credits: 5'))
    expect(outcome(await none.ask(at))).toEqual(coded(400, 'sender_id_required'))
  })

  it('with an empty wallet: 402, and nothing is stored', async () => {
    const poor = await world.workspace('poor', SENDERS)
    const asked = await passcodesOf(poor).ask({ phone: newNumber() })
    expect(outcome(asked)).toEqual(uncoded(402, 'Insufficient SMS credits'))
    expect((await poor.request('GET', '/public/messages')).body.data).toMatchObject({ total: 0 })
    const entries: StatementEntry[] = []
    for await (const entry of readStatement(world.stores.log, poor.applied.workspace.id)) entries.push(entry)
    expect(entries).toEqual([])
  })

  it('after five to a number in ten minutes, before its sender is looked at; another number and another workspace are not', async () => {
    const phone = newNumber()
    for (let n = 0; n < 5; n++) await otp.send(phone)
    const refused = await otp.ask({ phone, senderId: 'Unknown' })
    expect(outcome(refused)).toEqual(capReached)
    const after = Number(refused.headers.get('retry-after'))
    expect(after).toBeGreaterThan(500)
    expect(after).toBeLessThanOrEqual(600)
    await otp.send(newNumber())
    const other = await world.workspace('other', `credits: 10\n${SENDERS}`)
    await passcodesOf(other).send(phone)
  })

  it('when fifty ask at once for one number, but for five', async () => {
    const phone = newNumber()
    const asked = await Promise.all(Array.from({ length: 50 }, () => otp.ask({ phone })))
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(asked.filter(({ status }) => status === 429)).toHaveLength(45)
    expect((await wallet()).held).toBe(0)
  })

  it('and those that are refused before the wallet are not counted', async () => {
    const phone = newNumber()
    for (let n = 0; n < 6; n++) expect((await otp.ask({ phone, senderId: 'Unknown' })).status).toBe(400)
    await otp.send(phone)
  })
})

it('a send that is repeated under one key is one passcode', async () => {
  const phone = newNumber()
  const key = { 'Idempotency-Key': 'send-once' }
  const [first, again] = [await otp.ask({ phone }, key), await otp.ask({ phone }, key)]
  expect(dataOf(again, 200)).toEqual(dataOf(first, 200))
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

it('a passcode of another workspace is unknown, and an attempt at it counts nothing', async () => {
  const phone = newNumber()
  const { verificationId } = await otp.send(phone)
  const code = codeIn((await lastTo(world, 'sms', phone)).body)
  const foreign = passcodesOf(await world.workspace('foreign'))
  for (let n = 0; n < 7; n++) expect(await foreign.verify(verificationId, code)).toEqual({ verified: false, reason: 'expired_or_unknown' })
  expect(await otp.verify(verificationId, code)).toEqual({ verified: true })
})
