import { type Jsmpp, startJsmpp } from '@tidings/testing/jsmpp'
import { type Smsc, startSmsc } from '@tidings/testing/smsc'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { codeIn, passcodesOf, wrongFor } from './support/passcodes.ts'
import { freePort } from './support/service-process.ts'
import { newNumber, SENDER, texting, textsOf } from './support/texts.ts'
import { startWorld, type World } from './support/world.ts'

const replies = `smsReplies: { stop: "You get no more texts." }`
const consentOf = async (client: Client, id: string) =>
  dataOf<{ smsConsent: string }>(await client.request('GET', `/public/profiles/${id}`), 200).smsConsent

describe('through Twilio’s API', () => {
  let twilio: TwilioServer
  let world: World
  let acme: Client
  beforeAll(async () => {
    twilio = await startTwilioServer({ reports: ['queued', 'sent', 'delivered'] })
    const port = String(await freePort())
    const env = { TIDINGS_SMS_PROVIDER: twilio.url, PORT: port, TIDINGS_PUBLIC_URL: `http://127.0.0.1:${port}` }
    world = await startWorld(env)
    acme = await world.workspace('acme', `${texting}\n${replies}`)
  })
  afterAll(async () => {
    await world?.stop()
    await twilio?.stop()
  })

  it('a text is sent once and delivered, and STOP is recorded and answered', async () => {
    const phone = newNumber()
    const { messageId, contactId } = await textsOf(world, acme).accept(phone)
    const record = await acme.messageWith(messageId, 'delivered')
    expect(twilio.taken.filter(({ form }) => form.To === phone)).toMatchObject([{ sid: record.providerMessageId }])
    expect(await twilio.inbound(`${world.url}/api/v1/providers/twilio/inbound`, { From: phone, To: SENDER, Body: 'STOP' })).toBe(200)
    await eventually(
      async () => twilio.taken.filter(({ form }) => form.To === phone).map(({ form }) => [form.From, form.Body]),
      (texts) => texts.some(([, body]) => body === 'You get no more texts.'),
    )
    // The reply does not wait for what readers see.
    await eventually(
      () => consentOf(acme, contactId),
      (consent) => consent === 'unsubscribed',
    )
  })
})

describe('over SMPP', () => {
  let smsc: Smsc
  let world: World
  let acme: Client
  beforeAll(async () => {
    smsc = await startSmsc()
    world = await startWorld({ TIDINGS_SMS_PROVIDER: smsc.url })
    acme = await world.workspace('acme', `${texting}\n${replies}`)
  })
  afterAll(async () => {
    await world?.stop()
    await smsc?.stop()
  })

  const person = (phone: string) => ({ source_addr_ton: 1, source_addr: phone.slice(1), destination_addr: SENDER, dest_addr_ton: 5 })
  const receipt = (phone: string, id: string) =>
    smsc.deliver({ ...person(phone), esm_class: 4, short_message: `id:${id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:Hi` })

  it('a text is delivered by its receipt, and STOP is recorded once and answered', async () => {
    const phone = newNumber()
    const { messageId, contactId } = await textsOf(world, acme).accept(phone)
    const { providerMessageId } = await acme.messageWith(messageId, 'sent')
    expect(await receipt(phone, String(providerMessageId))).toBe(0)
    await acme.messageWith(messageId, 'delivered')
    expect(await smsc.deliver({ ...person(phone), short_message: 'Stop' })).toBe(0)
    await eventually(
      async () => smsc.submitted.filter(({ to }) => `+${to}` === phone).map(({ text }) => text),
      (texts) => texts.includes('You get no more texts.'),
    )
    await eventually(
      () => consentOf(acme, contactId),
      (consent) => consent === 'unsubscribed',
    )
  })

  it('a passcode is answered once the SMSC has it, and its code is right once', async () => {
    const phone = newNumber()
    const { send, verify } = passcodesOf(acme)
    const { verificationId } = await send(phone)
    const [text] = smsc.submitted.filter(({ to }) => `+${to}` === phone)
    const code = codeIn(text?.text ?? '')
    expect(await verify(verificationId, wrongFor(code))).toEqual({ verified: false, reason: 'code_mismatch' })
    expect(await verify(verificationId, code)).toEqual({ verified: true })
    expect(await verify(verificationId, code)).toEqual({ verified: false, reason: 'expired_or_unknown' })
  })
})

const jsmpp: Jsmpp | null = await startJsmpp()
afterAll(() => jsmpp?.stop())

describe.runIf(jsmpp !== null)('over SMPP, with the simulator of jSMPP', () => {
  it('a text of one part and one of three are delivered', async () => {
    const world = await startWorld({ TIDINGS_SMS_PROVIDER: jsmpp!.url })
    const acme = await world.workspace('acme', texting)
    const texts = textsOf(world, acme)
    const [short, long] = [await texts.accept(newNumber()), await texts.accept(newNumber(), undefined, 'a'.repeat(400))]
    for (const { messageId } of [short, long]) await acme.messageWith(messageId, 'delivered')
    await world.stop()
  })
})
