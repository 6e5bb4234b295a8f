import type { Bench, Group } from '../lib/bench.ts'
import { RECIPIENTS, startCampaigns } from '../lib/campaigns.ts'
import { startSmtpSink } from '../lib/children.ts'
import { openPeer, type PeerCost, peerSettings } from '../lib/listmonk.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { type Cost, campaignAlone, costOf, singles } from './campaign.ts'

type Run = Readonly<{ singles: Pair; campaign: Pair }>
type Pair = Readonly<{ ours: Cost; theirs: PeerCost }>

const line = ({ ours, theirs }: Pair): string => {
  const cpu = theirs.cpuUs === null ? '' : ` (${Math.round(ours.cpuUs)} and ${Math.round(theirs.cpuUs)} µs)`
  return `${Math.round(ours.perSecond)}/s and ${Math.round(theirs.perSecond)}/s${cpu}`
}

const rowsOf = (name: string, pairs: readonly Pair[]): readonly ReportRow[] => {
  const theirs = pairs.map((pair) => pair.theirs.cpuUs)
  const known = theirs.filter((us) => us !== null)
  return [
    row(name, '/s', median(pairs.map(({ ours }) => ours.perSecond)), { baseline: median(pairs.map((pair) => pair.theirs.perSecond)) }),
    ...(known.length < theirs.length
      ? []
      : [row('  CPU a message, all processes', 'µs', median(pairs.map(({ ours }) => ours.cpuUs)), { baseline: median(known) })]),
  ]
}

const measure = async (bench: Bench): Promise<readonly ReportRow[]> => {
  const settings = peerSettings(process.env)
  if (typeof settings === 'string') throw new Error(settings)
  const sink = await startSmtpSink(['0', '', String(settings.smtpPort)])
  bench.after(sink.stop)
  const sending = await startCampaigns(bench, bench.runs + 1)
  bench.say(`${RECIPIENTS} subscribers of ${settings.url}`)
  const peer = await openPeer(settings, { sink, subscribers: RECIPIENTS, from: 'Bench <hello@bench.example>' })
  const runs: Run[] = []
  for (let n = 0; n <= bench.runs; n++) {
    const run = {
      singles: { ours: await costOf(sending, () => singles(sending, 0)), theirs: await peer.singles(bench.seconds) },
      campaign: { ours: await costOf(sending, () => campaignAlone(sending, n)), theirs: await peer.campaign(n) },
    }
    bench.say(`${n === 0 ? 'warm-up' : `run ${n}`}, ours and theirs: singles ${line(run.singles)}, campaign ${line(run.campaign)}`)
    if (n > 0) runs.push(run)
  }
  return [
    ...rowsOf(
      'transactional, accepted and sent over SMTP (ours: until `sent` is read); listmonk',
      runs.map((run) => run.singles),
    ),
    ...rowsOf(
      `campaign to ${RECIPIENTS.toLocaleString('en')} over SMTP; listmonk`,
      runs.map((run) => run.campaign),
    ),
  ]
}

/** The same work by a listmonk that is on this machine already, one after the other. */
export const beside: Group = {
  name: 'beside',
  run: measure,
  lacks: (env) => {
    const settings = peerSettings(env)
    return typeof settings === 'string' ? settings : null
  },
}
