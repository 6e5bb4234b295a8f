import { testDatabase } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import { newNumber, SENDERS } from './support/passcodes.ts'
import { freePort, type ServiceProcess } from './support/service-process.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let sink: SmtpSink
let twilio: TwilioServer
let installation: Installation
let service: ServiceProcess
let acme: Client
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  database = await testDatabase()
  sink = await startSmtpSink()
  twilio = await startTwilioServer()
  environment = {
    NODE_ENV: 'production',
    TIDINGS_EMAIL_PROVIDER: sink.url,
    TIDINGS_LOG_LEVEL: 'warn',
    PORT: String(await freePort()),
  }
  installation = await install(database.url, environment)
  service = await installation.start()
  acme = await installation.workspace('acme')
  await installation.tidings(['apply', '-f', '-'], `workspace: { slug: acme, name: acme }\ncredits: 100\n${SENDERS}`)
})
afterAll(async () => {
  await service.end('SIGTERM')
  await installation.close()
  await twilio.stop()
  await sink.stop()
  await database.drop()
})

let messageId = ''
const to = newNumber()
const credits = () => installation.tidings(['credits', 'show', '--workspace', 'acme'])

it('an installation in production that has a provider of mail alone starts, and says once what it lacks', () => {
  const lines = service.output().split('\n').filter(Boolean)
  const said = lines.map((line) => (JSON.parse(line) as Readonly<{ msg: string }>).msg)
  // A machine that stands still says more than that: what was late, and what was tried again.
  expect(said.filter((msg) => /is not set/.test(msg))).toEqual([
    'TIDINGS_SMS_PROVIDER is not set: text messages stay queued, and passcodes by text are refused, until it is; ' +
      'TIDINGS_VOICE_PROVIDER is not set: passcodes by call are refused until it is',
    'TIDINGS_VAPID_PRIVATE_KEY is not set: pushes stay queued until it is',
  ])
})

it('it sends mail', async () => {
  await acme.messageWith(await acme.send('ada@example.com'), 'sent')
})

it('its passcodes are 503 and cost nothing, its text messages wait', async () => {
  const failed = uncoded(503, 'Verification could not be sent, try again later')
  for (const channel of ['sms', 'voice'])
    expect(outcome(await acme.request('POST', '/otp/send', { phone: newNumber(), channel }))).toEqual(failed)
  const answer = await acme.request('POST', '/public/messages/sms', { to, senderId: 'Acme', body: 'Hi', contentMode: 'manual' })
  messageId = dataOf<{ messageId: string }>(answer, 202).messageId
  await acme.messageWith(messageId, 'queued')
  expect(await credits()).toMatchObject({ balance: 100, held: 0 })
})

it('no metric says that a channel is out which it does not have', async () => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  expect(metrics.match(/^tidings_provider_outage.*$/gm)).toEqual([
    `tidings_provider_outage{channel="email",provider="${new URL(sink.url).host}"} 0`,
  ])
})

it('with a provider the text messages that waited go on', async () => {
  await service.end('SIGTERM')
  const next = await install(database.url, { ...environment, TIDINGS_SMS_PROVIDER: twilio.url })
  await installation.close()
  installation = next
  service = await installation.start()
  await acme.messageWith(messageId, 'sent')
  expect(twilio.taken.map(({ form }) => form.To)).toEqual([to])
  await expect.poll(credits).toMatchObject({ balance: 99, held: 0 })
})
