// What a mail over SMTP costs: our own session beside nodemailer's pooled transport (docs/adr/0017-own-smtp-session.md).
//   node test/bench/smtp.ts [MAILS]
import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { createTransport } from 'nodemailer'
import type { Pool } from 'pg'
import { buildMime } from '../../packages/providers/src/email/mime/build-mime.ts'
import { type EmailMessage, emailProvider } from '../../packages/providers/src/index.ts'
import { startSmtpSink } from './lib/children.ts'

const MAILS = Number(process.argv[2] ?? 10_000)
const ROUNDS = 3
const CONNECTIONS = 20
const IN_FLIGHT = 200
const HOST = 'bench.example'

/** How a relay answers: after so many ms, and whether it announces PIPELINING. */
type Relay = Readonly<{ delayMs: number; way: 'pipelining' | 'steps' }>
type Sender = Readonly<{ send: (message: EmailMessage) => Promise<unknown>; close: () => unknown }>

const message = (n: number): EmailMessage => ({
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId(`0192b1f0-0000-7000-8000-${String(n).padStart(12, '0')}`),
  requestId: `req-${n}`,
  from: { email: 'hello@acme.example', name: 'Acme' },
  to: `known${n % 2_000}@example.com`,
  replyTo: null,
  subject: 'Votre reçu',
  html: `<p>${'Merci pour votre commande. '.repeat(70)}</p>`,
  text: null,
})

const pooled = (port: number) => createTransport({ pool: true, host: '127.0.0.1', port, maxConnections: CONNECTIONS, maxMessages: 1_000 })

const senders: Readonly<Record<string, (port: number) => Promise<Sender>>> = {
  'own session': async (port) => {
    const settings = { provider: `smtp://127.0.0.1:${port}`, publicUrl: `https://${HOST}`, pool: null as unknown as Pool }
    const provider = await emailProvider({ ...settings, connections: CONNECTIONS })
    const options = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' as const }
    return { send: (mail) => provider.send(mail, options), close: provider.close }
  },
  'nodemailer pool, our MIME': async (port) => {
    const transport = pooled(port)
    const send = (mail: EmailMessage) =>
      transport.sendMail({ envelope: { from: mail.from.email, to: mail.to }, raw: buildMime(mail, { host: HOST, date: new Date() }) })
    return { send, close: () => transport.close() }
  },
  'nodemailer pool, its MIME': async (port) => {
    const transport = pooled(port)
    const send = ({ from, to, subject, html }: EmailMessage) =>
      transport.sendMail({ from: { name: from.name ?? '', address: from.email }, to, subject, html, text: 'Merci' })
    return { send, close: () => transport.close() }
  },
}

/** Sends the mails, so many at a time. */
const sendAll = async ({ send }: Sender, count: number): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await send(message(next++))
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

const measure = async (open: (port: number) => Promise<Sender>, relay: Relay) => {
  const sink = await startSmtpSink([String(relay.delayMs), relay.way])
  const sender = await open(sink.port)
  await sendAll(sender, MAILS / 5)
  const [cpu, began] = [process.cpuUsage(), performance.now()]
  await sendAll(sender, MAILS)
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  if ((await sink.count()) !== MAILS + MAILS / 5) throw new Error('the sink has not received every mail once')
  await sender.close()
  await sink.stop()
  return { perSecond: MAILS / seconds, cpuMicros: (user + system) / MAILS }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const relays: readonly Relay[] = [
  { delayMs: 0, way: 'pipelining' },
  { delayMs: 0, way: 'steps' },
  { delayMs: 10, way: 'pipelining' },
  { delayMs: 10, way: 'steps' },
]
for (const relay of relays) {
  const results = new Map(Object.keys(senders).map((name) => [name, [] as Awaited<ReturnType<typeof measure>>[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, open] of Object.entries(senders)) results.get(name)?.push(await measure(open, relay))
  for (const [name, runs] of results) {
    const [rate, cpu] = [median(runs.map(({ perSecond }) => perSecond)), median(runs.map(({ cpuMicros }) => cpuMicros))]
    const of = `${relay.way}, answers after ${relay.delayMs} ms`
    process.stdout.write(`${of}: ${name}: ${Math.round(rate)} mails/s, ${Math.round(cpu)} µs CPU a mail\n`)
  }
}
