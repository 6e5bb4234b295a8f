import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Group } from '../lib/bench.ts'
import { RECIPIENTS, type Sending, startCampaigns } from '../lib/campaigns.ts'
import { load } from '../lib/children.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from '../lib/cpu.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { emailTo, tidings } from '../lib/workspace.ts'

const KNOWN = 200
/** Transactional messages a second beside a campaign. */
const BESIDE = 50
/** Campaigns of one run: one for the rate, one beside which single messages are sent. */
const CAMPAIGNS_OF_RUN = 2
/** The time in which a transactional message leaves beside a campaign (D18). */
const FAIR_MS = 5_000

export type Cost = Readonly<{ perSecond: number; cpuUs: number }>

const cpuOf = async ({ service }: Sending): Promise<number> =>
  ((await cpuSecondsOf(service.pid)) ?? Number.NaN) + ((await cpuSecondsOfTree(service.postgresPid)) ?? Number.NaN)

const drained = async ({ pool }: Sending): Promise<number> => {
  for (;;) {
    const { rows } = await pool.query<{ all: number; queued: number; failed: number }>(
      `select count(*)::int as all, count(*) filter (where status = 'queued')::int as queued,
              count(*) filter (where status not in ('queued', 'sent'))::int as failed from read.messages`,
    )
    const [now] = rows
    if (now === undefined || now.failed > 0) throw new Error(`${now?.failed} messages were not sent`)
    if (now.queued === 0) return now.all
    await sleep(50)
  }
}

/** How many a second, and the CPU of service and Postgres for each, of what `send` sends and takes. */
export async function costOf(sending: Sending, send: () => Promise<number>): Promise<Cost> {
  const [before, received, cpu] = [await drained(sending), await sending.sink.count(), await cpuOf(sending)]
  const seconds = await send()
  const messages = (await drained(sending)) - before
  const arrived = (await sending.sink.count()) - received
  if (arrived !== messages) throw new Error(`${messages} messages were sent, ${arrived} were received`)
  return { perSecond: messages / seconds, cpuUs: (((await cpuOf(sending)) - cpu) * 1e6) / messages }
}

const mails = ({ service, headers }: Sending) => {
  const plan = { url: service.url, method: 'POST', path: '/api/v1/public/messages/email', headers, of: KNOWN } as const
  return { ...plan, body: emailTo('known{m}@example.com'), connections: 64 }
}

/** Single sends until the last is `sent`; answers the seconds that all of it took. */
export async function singles(sending: Sending, from: number): Promise<number> {
  const { startedAt, refusal } = await load({ ...mails(sending), seconds: sending.bench.seconds, from })
  if (refusal !== null) throw new Error(`a send was refused: ${refusal}`)
  await drained(sending)
  return (Date.now() - startedAt) / 1_000
}

/** Runs a campaign and returns its times in the log: its start and its last outcome. */
const campaign = async ({ service, applied, pool }: Sending, n: number): Promise<Readonly<{ startedAt: string; finishedAt: string }>> => {
  const id = applied.campaigns[`c${n}`] ?? ''
  const of = ['--workspace', 'bench', '--id', id]
  await tidings(service.dataDir, ['campaign', 'start', ...of])
  while ((await pool.query('select from read.campaigns where id = $1 and status = $2', [id, 'sent'])).rowCount === 0) await sleep(20)
  const shown = await tidings<{ sent: number; startedAt: string; finishedAt: string }>(service.dataDir, ['campaign', 'show', ...of])
  if (shown.sent !== RECIPIENTS) throw new Error(`${shown.sent} of ${RECIPIENTS} recipients were sent to`)
  return shown
}

/** The campaign of that number; answers the seconds from its start to its last outcome, by the log. */
export async function campaignAlone(sending: Sending, n: number): Promise<number> {
  const { startedAt, finishedAt } = await campaign(sending, n)
  return (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000
}

/** The time from the acceptance to the provider's yes, for transactional messages that were accepted within that time. */
const p99Between = async ({ pool }: Sending, from: string, to: string): Promise<number> => {
  const { rows } = await pool.query<{ ms: number; messages: number }>(
    `select (percentile_cont(0.99) within group (order by extract(epoch from sent_at - queued_at)) * 1000)::float8 as ms, count(*)::int as messages
     from read.messages m join read.profiles p on p.workspace_id = m.workspace_id and p.id = m.contact_id
     where p.email like 'known%' and queued_at between $1 and $2`,
    [from, to],
  )
  if (rows[0] === undefined || rows[0].messages === 0) throw new Error('no transactional message was accepted in that time')
  return rows[0].ms
}

const evenly = async (sending: Sending, from: number, seconds: number): Promise<number> => {
  const { refusal, next } = await load({ ...mails(sending), rate: BESIDE, connections: 8, seconds, from })
  if (refusal !== null) throw new Error(`a send was refused: ${refusal}`)
  return next
}

type Fairness = Readonly<{ alone: number; beside: number }>

const fairness = async (sending: Sending, n: number): Promise<Fairness> => {
  const { seconds } = sending.bench
  const from = new Date().toISOString()
  await evenly(sending, 0, seconds)
  await drained(sending)
  const alone = await p99Between(sending, from, new Date().toISOString())
  const over = { yes: false }
  const beside = (async () => {
    while (!over.yes) await evenly(sending, 0, 1)
  })()
  const { startedAt, finishedAt } = await campaign(sending, n).finally(() => {
    over.yes = true
  })
  await beside
  await drained(sending)
  return { alone, beside: await p99Between(sending, startedAt, finishedAt) }
}

type Run = Readonly<{ single: Cost; campaign: Cost } & Fairness>

const run = async (sending: Sending, n: number): Promise<Run> => {
  const single = await costOf(sending, () => singles(sending, 0))
  // The profile holds the campaign alone.
  if (n > 0) sending.service.toggleProfile()
  const campaign = await costOf(sending, () => campaignAlone(sending, n * CAMPAIGNS_OF_RUN))
  if (n > 0) sending.service.toggleProfile()
  return { single, campaign, ...(await fairness(sending, n * CAMPAIGNS_OF_RUN + 1)) }
}

const measure = async (bench: Bench): Promise<readonly ReportRow[]> => {
  const sending = await startCampaigns(bench, (bench.runs + 1) * CAMPAIGNS_OF_RUN)
  const runs: Run[] = []
  for (let n = 0; n <= bench.runs; n++) {
    const measured = await run(sending, n)
    const { single, campaign, alone, beside } = measured
    const rates = `campaign ${Math.round(campaign.perSecond)}/s, single ${Math.round(single.perSecond)}/s`
    bench.say(
      `${n === 0 ? 'warm-up' : `run ${n}`}: ${rates}; p99 beside a campaign ${Math.round(beside)} ms, alone ${Math.round(alone)} ms`,
    )
    if (n > 0) runs.push(measured)
  }
  const of = (pick: (one: Run) => number): number => median(runs.map(pick))
  return [
    row(
      `campaign to ${RECIPIENTS.toLocaleString('en')}, planned and sent over SMTP; single sends`,
      '/s',
      of((one) => one.campaign.perSecond),
      {
        baseline: of((one) => one.single.perSecond),
      },
    ),
    row(
      '  CPU of service and Postgres a recipient; a single send',
      'µs',
      of((one) => one.campaign.cpuUs),
      {
        baseline: of((one) => one.single.cpuUs),
      },
    ),
    row(
      `  p99 of a transactional send beside it, ${BESIDE}/s, from accepted to sent`,
      'ms',
      of((one) => one.beside),
      {
        target: { atMost: FAIR_MS },
      },
    ),
    row(
      '  the same without a campaign',
      'ms',
      of((one) => one.alone),
    ),
  ]
}

/** A campaign through the same service and sink as single sends, and what it costs those that are sent beside it. */
export const campaigns: Group = { name: 'campaign', run: measure }
