import { type TestDatabase, testDatabase } from '@tidings/testing'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { dump } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { type NamedText, placesThatHold } from './support/find-codes.ts'
import { type Installation, install } from './support/installation.ts'
import { codeIn, lastTo, newNumber, SENDERS, wrongFor } from './support/passcodes.ts'
import type { ServiceProcess } from './support/service-process.ts'

/** Passcodes of each kind. */
const PASSCODES = 6

let database: TestDatabase
let twilio: TwilioServer
/** One installation, two processes: one sends through Twilio's API, the other into the development outbox. */
let installations: readonly Installation[] = []
let services: readonly ServiceProcess[] = []
let clients: Readonly<{ twilio: Client; outbox: Client }>

/** Codes by how they were sent and what became of them, and everything that was answered. */
const codes: Record<string, string[]> = {}
const answers: string[] = []

beforeAll(async () => {
  database = await testDatabase()
  twilio = await startTwilioServer()
  const callerId = '&callerId=%2B97231234567'
  const overTwilio = { TIDINGS_SMS_PROVIDER: twilio.url, TIDINGS_VOICE_PROVIDER: `${twilio.url}${callerId}` }
  const level = { TIDINGS_LOG_LEVEL: 'debug' }
  installations = [await install(database.url, { ...level, ...overTwilio }), await install(database.url, level)]
  services = await Promise.all(installations.map((installation) => installation.start()))
  const file = `workspace: { slug: acme, name: acme }\napiKeys: [{ name: test }]\ncredits: 1000\ncountry: IL\n${SENDERS}`
  const applied = (await installations[0]?.tidings(['apply', '-f', '-'], file)) as Client['applied']
  const [first, second] = services.map(({ url }, n) => clientOf({ url, applied, shown: installations[n]!.shown }))
  clients = { twilio: first!, outbox: second! }
})
afterAll(async () => {
  await Promise.all(services.map((service) => service.end('SIGTERM')))
  await Promise.all(installations.map((installation) => installation.close()))
  await twilio?.stop()
  await database?.drop()
})

const ask = async (client: Client, path: string, body: object, headers = {}) => {
  const { status, body: answer } = await client.request('POST', path, body, headers)
  answers.push(JSON.stringify(answer))
  return { status, data: answer.data as unknown as Readonly<Record<string, string>> }
}

/** What Twilio was given for that number: the text, or what a call says. */
const takenBy = (phone: string): string => {
  const form = twilio.requests.findLast((request) => request.form.To === phone)?.form
  return form?.Body ?? /<Say[^>]*>([^<]*)</.exec(form?.Twiml ?? '')?.[1]?.replaceAll(', ', ' ') ?? ''
}

const textFor = async (provider: 'twilio' | 'outbox', channel: 'sms' | 'voice', phone: string): Promise<string> =>
  provider === 'twilio' ? takenBy(phone) : (await lastTo(clients.outbox, channel, phone)).body

/** Each code is sent, guessed wrong, and verified; under an idempotency key, whose answers are stored. */
const useMany = async (provider: 'twilio' | 'outbox', channel: 'sms' | 'voice'): Promise<void> => {
  const client = clients[provider]
  for (let n = 0; n < PASSCODES; n++) {
    const phone = newNumber()
    const key = (what: string) => ({ 'Idempotency-Key': `${provider}-${channel}-${n}-${what}` })
    const { data } = await ask(client, '/otp/send', { phone, channel, message: 'Your code: {{code}}' }, key('send'))
    const code = codeIn(await textFor(provider, channel, phone))
    const { verificationId } = data
    expect((await ask(client, '/otp/verify', { verificationId, code: wrongFor(code) })).data.reason).toBe('code_mismatch')
    expect((await ask(client, '/otp/verify', { verificationId, code }, key('verify'))).data).toEqual({ verified: true })
    codes[`${provider} ${channel}`] = [...(codes[`${provider} ${channel}`] ?? []), code]
  }
}

/** The provider refuses, and repeats what it was given. */
const failMany = async (channel: 'sms' | 'voice'): Promise<void> => {
  twilio.control.rule = ({ form }) => ({ status: 400, code: 30007, message: `refused: ${form.Body ?? form.Twiml}` })
  for (let n = 0; n < PASSCODES; n++) {
    const phone = newNumber()
    expect((await ask(clients.twilio, '/otp/send', { phone, channel })).status).toBe(503)
    codes[`failed ${channel}`] = [...(codes[`failed ${channel}`] ?? []), codeIn(takenBy(phone))]
  }
  twilio.control.rule = undefined
}

const storedPlaces = async (): Promise<readonly NamedText[]> => {
  const { pool } = database
  const { rows } = await pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname <> 'information_schema' and nspname not like 'pg\\_%' order by 1`,
  )
  const dumps = await Promise.all(rows.map(({ name }) => dump(pool, name)))
  return dumps.flatMap((tables) => Object.entries(tables).map(([name, lines]) => ({ name, text: lines.join('\n') })))
}

const saidPlaces = async (): Promise<readonly NamedText[]> => {
  const get = async (service: ServiceProcess, path: string) => ({ name: path, text: await (await fetch(`${service.url}${path}`)).text() })
  const read = async (path: string) => ({
    name: path,
    text: JSON.stringify((await clients.outbox.request('GET', path)).body),
  })
  return [
    { name: 'the answers', text: answers.join('\n') },
    ...services.map((service, n) => ({ name: `the log lines of process ${n}`, text: service.output() })),
    ...(await Promise.all(services.flatMap((service) => [get(service, '/metrics'), get(service, '/openapi.json')]))),
    await read('/public/messages?limit=100'),
  ]
}

it('a code is nowhere but at its provider: in no row, event, log line, answer or metric', async () => {
  await useMany('twilio', 'sms')
  await useMany('twilio', 'voice')
  await useMany('outbox', 'sms')
  await useMany('outbox', 'voice')
  await failMany('sms')
  await failMany('voice')
  // The test waits until all of it is projected and consumed.
  await eventually(
    async () => (await clients.outbox.request('GET', '/public/messages?limit=100')).body.data as { total: number },
    ({ total }) => total === 6 * PASSCODES,
  )
  const stored = await storedPlaces()
  const places = [...stored.filter(({ name }) => name !== 'outbox.message'), ...(await saidPlaces())]
  expect(places.length).toBeGreaterThan(40)
  // The search finds what there is to find.
  const outbox = stored.filter(({ name }) => name === 'outbox.message')
  expect(placesThatHold(codes['outbox sms'] ?? [], outbox)).toEqual([`outbox.message: ${PASSCODES} of ${PASSCODES}`])
  expect(placesThatHold(codes['outbox voice'] ?? [], outbox)).toEqual([`outbox.message: ${PASSCODES} of ${PASSCODES}`])
  expect(services.every((service) => service.output().includes('"level":"debug"') || service.output().includes('"level":"info"'))).toBe(
    true,
  )
  for (const [kind, ofKind] of Object.entries(codes)) {
    expect(ofKind).toHaveLength(PASSCODES)
    expect(placesThatHold(ofKind, places), kind).toEqual([])
  }
})
