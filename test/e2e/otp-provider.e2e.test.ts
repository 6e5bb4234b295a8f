import { startTwilioServer, type TwilioRule, type TwilioServer } from '@tidings/testing/twilio-server'
import { verifyWallet } from '@tidings/wallet'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { codeIn, newNumber, passcodesOf, SENDERS } from './support/passcodes.ts'
import { startWorld, type World } from './support/world.ts'

let twilio: TwilioServer
let world: World
let acme: Client
let otp: ReturnType<typeof passcodesOf>
/** It gives up a provider that does not answer; the other one waits for as long as a machine may stand still. */
let impatient: World
let globex: Client

const startWaiting = (ms: string): Promise<World> =>
  startWorld({
    TIDINGS_SMS_PROVIDER: twilio.url,
    TIDINGS_VOICE_PROVIDER: `${twilio.url}&callerId=%2B97231234567`,
    TIDINGS_PROVIDER_TIMEOUT_MS: ms,
    TIDINGS_PASSCODES_PER_PREFIX: '25',
  })

beforeAll(async () => {
  twilio = await startTwilioServer()
  ;[world, impatient] = [await startWaiting('300000'), await startWaiting('1000')]
  const file = `credits: 1000\ncountry: IL\n${SENDERS}`
  acme = await world.workspace('acme', file)
  globex = await impatient.workspace('globex', file)
  otp = passcodesOf(acme)
})
afterAll(async () => {
  await world?.stop()
  await impatient?.stop()
  await twilio?.stop()
})
afterEach(() => {
  twilio.control.rule = undefined
})

/** One of the provider's 20 calls at once is kept from the passcodes of one workspace. */
const PLACES_OF_ONE = 19

const failed = uncoded(503, 'Verification could not be sent, try again later')
const wallet = async ({ stores } = world, { applied } = acme) => {
  const { balance, held, ok } = await verifyWallet(stores.log, applied.workspace.id)
  return { balance, held, ok }
}
const newestMessage = async (client = acme) =>
  ((await client.request('GET', '/public/messages?limit=1')).body.data as { items: readonly Readonly<Record<string, unknown>>[] }).items[0]

const rules: Readonly<Record<string, readonly [TwilioRule, string]>> = {
  'refuses the number': [{ status: 400, code: 21211 }, 'invalid_address'],
  'refuses the sender': [{ status: 400, code: 21659 }, 'provider_rejected'],
  'is throttled': [{ status: 429, code: 20429 }, 'provider_unavailable'],
  'is broken': [{ status: 500 }, 'provider_unavailable'],
  'never answers': ['stall', 'provider_unavailable'],
  'cuts the line before it takes the message': ['cut before', 'provider_unavailable'],
  'cuts the line after it took the message': ['cut after', 'provider_unavailable'],
}

describe.each(['sms', 'voice'] as const)('a provider of %s', (channel) => {
  it('that accepts is answered after, not before', async () => {
    const phone = newNumber()
    const { verificationId } = await otp.send(phone, { channel })
    const taken = twilio.taken.findLast(({ form }) => form.To === phone)
    expect(taken?.resource).toBe(channel === 'sms' ? 'Messages' : 'Calls')
    await expect.poll(() => newestMessage()).toMatchObject({ channel, status: 'sent', providerMessageId: taken?.sid })
    const text = taken?.form.Body ?? /<Say language="he-IL">([^<]*)</.exec(taken?.form.Twiml ?? '')?.[1]?.replaceAll(',', '') ?? ''
    expect(await otp.verify(verificationId, codeIn(text))).toEqual({ verified: true })
  })

  it.each(Object.entries(rules))('that %s is 503, and costs nothing', async (_, [rule, reason]) => {
    const [at, client] = rule === 'stall' ? [impatient, globex] : [world, acme]
    const before = await wallet(at, client)
    twilio.control.rule = () => rule
    expect(outcome(await passcodesOf(client).ask({ phone: newNumber(), channel }))).toEqual(failed)
    expect(await wallet(at, client)).toEqual({ ...before, held: 0, ok: true })
    await expect.poll(() => newestMessage(client)).toMatchObject({ channel, status: 'failed', failureReason: reason })
  })
})

it('a client that leaves while the provider is asked changes nothing: the passcode is sent and paid', async () => {
  const before = await wallet()
  const phone = newNumber()
  const leaving = new AbortController()
  const asked = Promise.withResolvers<void>()
  twilio.control.rule = () => {
    asked.resolve()
    leaving.abort()
    return undefined
  }
  const sending = fetch(`${acme.url}/api/v1/otp/send`, {
    method: 'POST',
    headers: { 'X-Sender-Tenant': acme.slug, 'X-API-Key': acme.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ phone }),
    signal: leaving.signal,
  })
  await expect(sending).rejects.toThrow()
  await asked.promise
  await expect.poll(() => wallet()).toEqual({ balance: before.balance - 1, held: 0, ok: true })
})

it('more passcodes than allowed in an hour to one block of numbers are refused, counted by cap, and reach no provider', async () => {
  const workspace = passcodesOf(await world.workspace('pumped', `credits: 100\n${SENDERS}`))
  const asked = twilio.requests.length
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => workspace.ask({ phone: `+97255123${String(n).padStart(4, '0')}` })),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(5)
  expect(outcome(refused[0]!)).toEqual(uncoded(429, 'Too many requests, please try again later'))
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(3_000)
  expect(twilio.requests.length - asked).toBe(25)
  expect(await (await fetch(`${world.url}/metrics`)).text()).toMatch(/tidings_passcodes_refused_total\{cap="prefix"\} [5-9]/)
})

it('a passcode that waits for the provider does not leave after the suspension of its workspace was answered', async () => {
  const client = await world.workspace('waits-for-place', `credits: 100\n${SENDERS}`)
  const asked = twilio.requests.length
  const gate = Promise.withResolvers<void>()
  twilio.control.rule = () => (response, sid) =>
    void gate.promise.then(() => response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid })))
  const answers = Array.from({ length: PLACES_OF_ONE + 2 }, () => passcodesOf(client).ask({ phone: newNumber() }))
  try {
    await expect.poll(() => twilio.requests.length - asked).toBe(PLACES_OF_ONE)
    await world.operate(client.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
  } finally {
    gate.resolve()
  }
  const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200).map(outcome)
  expect(twilio.requests.length - asked).toBe(PLACES_OF_ONE)
  // One that has waited for as long as a call may take is given up, whatever the gate says.
  for (const one of refused) expect([uncoded(403, 'Workspace is not active'), failed]).toContainEqual(one)
  expect(refused).toHaveLength(2)
  await expect
    .poll(async () => await verifyWallet(world.stores.log, client.applied.workspace.id))
    .toMatchObject({
      ok: true,
      balance: 100 - PLACES_OF_ONE,
      held: 0,
    })
})
