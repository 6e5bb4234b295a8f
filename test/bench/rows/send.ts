import { setTimeout as sleep } from 'node:timers/promises'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Bench, Group } from '../lib/bench.ts'
import { load, type MessageSink, startSmtpSink, startTwilioSink } from '../lib/children.ts'
import { cpuSecondsOf, cpuSecondsOfTree, residentMb } from '../lib/cpu.ts'
import type { LoadPlan, LoadResult } from '../lib/load-plan.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { type Service, startService } from '../lib/service.ts'
import { applyWorkspace, emailTo, smsTo, type Workspace } from '../lib/workspace.ts'

const KNOWN = 2_000
const CONNECTIONS = 64
/** A backlog shows only after a while: the load lasts this many times as long as that of the other figures. */
const LONGER = 3
const IDLE_MS = 10_000
const LOOK_MS = 50

export type Sending<S extends Service = Service> = Readonly<{
  bench: Bench
  service: S
  workspace: Workspace
  channel: Channel
  sink: MessageSink
  pool: Pool
}>

/** What is sent, and to what: `start` gives the provider and the setting that names it, `end` is the status that the provider leaves messages at. */
type Channel = Readonly<{
  name: string
  end: 'sent' | 'delivered'
  plan: Pick<LoadPlan, 'path' | 'body' | 'of' | 'values'>
  start: () => Promise<Readonly<{ sink: MessageSink; env: Readonly<Record<string, string>> }>>
}>

type Counts = Readonly<{ all: number; under_way: number; failed: number }>

const counts = async ({ pool, channel }: Pick<Sending, 'pool' | 'channel'>): Promise<Counts> => {
  const { rows } = await pool.query<Counts>(
    `select count(*)::int as all, count(*) filter (where status = any($1) and status <> $2)::int as under_way,
            count(*) filter (where status <> all($1))::int as failed
       from read.messages`,
    [['queued', 'sent', channel.end], channel.end],
  )
  return rows[0]!
}

/** Resolves with what there is when nothing is under way any more: every message that was accepted is at its end where a client reads it. */
const drained = async (of: Pick<Sending, 'pool' | 'channel'>): Promise<Counts> => {
  for (;;) {
    const now = await counts(of)
    if (now.failed > 0) throw new Error(`${now.failed} messages were not sent`)
    if (now.under_way === 0) return now
    await sleep(LOOK_MS)
  }
}

/** CPU microseconds a message. */
type Costs = Readonly<Record<'nodeUs' | 'postgresUs' | 'sinkUs' | 'loadUs', number>>
type Sent = Readonly<{ load: LoadResult; messages: number; perSecond: number; drainSeconds: number; costs: Costs }>

const cpu = async ({ service, sink }: Sending): Promise<readonly (number | null)[]> =>
  Promise.all([cpuSecondsOfTree(service.pid), cpuSecondsOfTree(service.postgresPid), cpuSecondsOf(sink.pid)])

/** Unpaced for a while, then nothing more until the last message is at its end: all of it counts as the time. */
export async function sendAll(sending: Sending, seconds: number, from: number): Promise<Sent> {
  const { service, workspace, channel, sink } = sending
  const [before, receivedBefore, cpuBefore] = await Promise.all([counts(sending), sink.count(), cpu(sending)])
  const plan = { url: service.url, method: 'POST', headers: workspace.headers, ...channel.plan } as const
  const result = await load({ ...plan, connections: CONNECTIONS, seconds, from })
  const loaded = Date.now()
  const after = await drained(sending)
  const ended = Date.now()
  const messages = after.all - before.all
  const received = (await sink.count()) - receivedBefore
  if (received !== messages) throw new Error(`${messages} messages were accepted and sent, ${received} were received`)
  const [nodeUs = 0, postgresUs = 0, sinkUs = 0] = (await cpu(sending)).map(
    (now, part) => (((now ?? 0) - (cpuBefore[part] ?? 0)) * 1e6) / messages,
  )
  const costs = { nodeUs, postgresUs, sinkUs, loadUs: (result.cpuSeconds * 1e6) / messages }
  return {
    load: result,
    messages,
    perSecond: messages / ((ended - result.startedAt) / 1_000),
    drainSeconds: (ended - loaded) / 1_000,
    costs,
  }
}

const costLine = ({ nodeUs, postgresUs, sinkUs, loadUs }: Costs): string =>
  `node ${Math.round(nodeUs)} µs, postgres ${Math.round(postgresUs)} µs, sink ${Math.round(sinkUs)} µs, load ${Math.round(loadUs)} µs`

/** How events reach the consumers: what the row's name says of it, the settings of the service, what must be reached. */
type SendWay = Readonly<{ channel: Channel; way: string; env: Readonly<Record<string, string>>; atLeast: number }>

/** `start`: how the service is started. */
export async function startSending<S extends Service>(
  bench: Bench,
  way: Pick<SendWay, 'channel' | 'env'>,
  start: (...starting: Parameters<typeof startService>) => Promise<S>,
): Promise<Sending<S>> {
  const { channel } = way
  const { sink, env } = await channel.start()
  bench.after(sink.stop)
  bench.say(`starting the service (all roles in one process), and what ${channel.name} ends in`)
  const service = await start(bench, {
    dataDir: await bench.folder(),
    env: { ...way.env, ...env },
    isPublic: channel.end === 'delivered',
  })
  const pool = createPool({ url: service.databaseUrl, max: 2, name: 'bench' })
  bench.after(() => pool.end())
  return { bench, service, workspace: await applyWorkspace(service), channel, sink, pool }
}

/** Measures the way from the POST to the SMTP server and back into the read model, all roles in one process. */
export async function sendRows(bench: Bench, way: SendWay): Promise<readonly ReportRow[]> {
  const sending = await startSending(bench, way, startService)
  const sents: Sent[] = []
  for (let run = 0, from = 0; run <= bench.runs; run++) {
    if (run > 0) sending.service.toggleProfile()
    const sent = await sendAll(sending, run === 0 ? bench.seconds : bench.seconds * LONGER, from)
    if (run > 0) sending.service.toggleProfile()
    from = sent.load.next
    const rates = `accepted ${Math.round(sent.load.perSecond)}/s, sent ${Math.round(sent.perSecond)}/s, drained in ${sent.drainSeconds.toFixed(1)} s`
    bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: ${rates}; CPU a message: ${costLine(sent.costs)}`)
    if (run > 0) sents.push(sent)
  }
  await sleep(IDLE_MS)
  const resident = await residentMb(sending.service.pid)
  return [
    row(
      `accepted, sent over ${way.channel.name} and \`${way.channel.end}\` visible${way.way}`,
      '/s',
      median(sents.map(({ perSecond }) => perSecond)),
      {
        target: { atLeast: way.atLeast },
      },
    ),
    row('  accepted meanwhile', '/s', median(sents.map(({ load }) => load.perSecond))),
    row('  p99 of the accept', 'ms', median(sents.map(({ load }) => load.p99))),
    row('  backlog at the end of the load, time to drain', 's', median(sents.map(({ drainSeconds }) => drainSeconds))),
    ...(resident === null ? [] : [row('  resident memory, idle for 10 s after it', 'MB', resident)]),
  ]
}

export const mail: Channel = {
  name: 'SMTP',
  end: 'sent',
  plan: { path: '/api/v1/public/messages/email', of: KNOWN, body: emailTo('known{m}@example.com') },
  start: async () => {
    const sink = await startSmtpSink()
    return { sink, env: { TIDINGS_EMAIL_PROVIDER: `smtp://127.0.0.1:${sink.port}` } }
  },
}

const texts: Channel = {
  name: 'an API that speaks Twilio’s',
  end: 'delivered',
  plan: {
    path: '/api/v1/public/messages/sms',
    values: Array.from({ length: KNOWN }, (_, n) => `+97254${1_230_000 + n}`),
    body: smsTo('{value}'),
  },
  start: async () => {
    const sink = await startTwilioSink()
    return { sink, env: { TIDINGS_SMS_PROVIDER: sink.url } }
  },
}

/** Consumers read the log itself. */
export const send: Group = { name: 'send', run: (bench) => sendRows(bench, { channel: mail, way: '', env: {}, atLeast: 3_000 }) }

/** Text messages of one workspace, each paid from its wallet. At least 0.9 of the rate of email. */
export const sendSms: Group = { name: 'send-sms', run: (bench) => sendRows(bench, { channel: texts, way: '', env: {}, atLeast: 2_700 }) }
