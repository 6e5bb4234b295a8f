import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Group } from '../lib/bench.ts'
import { NEIGHBOUR_CHANNELS, type NeighbourChannel } from '../lib/neighbour-channels.ts'
import { startLoad } from '../lib/neighbour-load.ts'
import { type Stopped, stopCampaigns, stopPersons, writeToPersons } from '../lib/neighbour-stops.ts'
import { type Answer, type NeighbourSizes, type NeighbourWorld, now, startNeighbours } from '../lib/neighbour-world.ts'
import { percentile, type ReportRow, row } from '../lib/report.ts'

const SIZES: Readonly<Record<Bench['size'], NeighbourSizes>> = {
  full: { campaign: 20_000, burst: 2_000, people: 100, erased: 20, samples: 150, quietMs: 8_000, atMostMs: 45_000, firstMs: 180_000 },
  small: { campaign: 2_000, burst: 300, people: 40, erased: 8, samples: 40, quietMs: 5_000, atMostMs: 25_000, firstMs: 120_000 },
}
const SAMPLE_MS = 700
/** How long the last message of the third workspace may still take when its measurement is over. */
const LAST_MS = 30_000
/** The time in which a transactional message leaves beside a campaign (D18). */
const FAIR_MS = 5_000
/** Ranges of addresses. */
const OWN_PART = 7

/** Requests that were not taken: how many, and what the first was answered. */
type Refused = { count: number; first: string }

/** Times in ms. `missing`: messages that had not reached the provider at the end; they count with the time that they had waited. */
type Measured = Readonly<{
  messages: readonly number[]
  missing: number
  notAccepted: Refused
  passcodes: readonly number[]
  notIssued: Refused
}>

type Sampling = Readonly<{ accepted: Map<string, number>; notAccepted: Refused; passcodes: number[]; notIssued: Refused }>

const note = (refused: Refused, { status, message }: Answer): void => {
  refused.count++
  refused.first ||= `${status} ${message}`
}

const message = async ({ own, channel }: NeighbourWorld, { accepted, notAccepted }: Sampling, n: number): Promise<void> => {
  const to = channel.address({ part: OWN_PART, n })
  const answer = await own.ask('POST', channel.path, channel.message(own.slug, to, `own${n}`))
  if (answer.status === 202) accepted.set(`own${n}`, now())
  else note(notAccepted, answer)
}

/** A number that was asked for no passcode in the last minutes. */
const passcode = async ({ own, channel }: NeighbourWorld, { passcodes, notIssued }: Sampling, n: number): Promise<void> => {
  const begun = performance.now()
  const phone = `+97252${1_000_000 + n}`
  const answer = await own.ask('POST', '/otp/send', { phone, senderId: channel.from(own.slug) })
  if (answer.status === 200) passcodes.push(performance.now() - begun)
  else note(notIssued, answer)
}

/** One message and one passcode of the third workspace every moment, until there are enough and `until` has ended. */
async function measureOwn(world: NeighbourWorld, until: Promise<unknown>): Promise<Measured> {
  const sampling: Sampling = {
    accepted: new Map(),
    notAccepted: { count: 0, first: '' },
    passcodes: [],
    notIssued: { count: 0, first: '' },
  }
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  over.catch(() => undefined) // awaited below
  const asked: Promise<void>[] = []
  const started = performance.now()
  for (let n = 0; n < world.sizes.samples || !isOver; n++) {
    await sleep(Math.max(0, started + n * SAMPLE_MS - performance.now()))
    asked.push(message(world, sampling, n))
    if (world.channel.channel === 'sms') asked.push(passcode(world, sampling, n))
  }
  await Promise.all(asked)
  await over
  const missing = () => [...sampling.accepted.keys()].filter((mark) => world.arrivals(mark).length === 0).length
  for (const deadline = performance.now() + LAST_MS; missing() > 0 && performance.now() < deadline; ) await sleep(100)
  const messages = [...sampling.accepted].map(([mark, at]) => Math.max(0, (world.arrivals(mark)[0]?.at ?? now()) - at))
  return { ...sampling, messages, missing: missing() }
}

const timeRows = (what: string, times: readonly number[], target?: Readonly<{ atMost: number }>): readonly ReportRow[] => [
  row(`  ${what}, ${times.length} of them, p50`, 'ms', percentile(times, 0.5)),
  row('    p99', 'ms', percentile(times, 0.99), target && { target }),
]

const refusedRow = (what: string, { count, first }: Refused): ReportRow =>
  row(`    ${what}${first === '' ? '' : `, the first ${first}`}`, '', count, { target: { atMost: 0 } })

const measuredRows = ({ messages, missing, passcodes, ...of }: Measured, { channel }: NeighbourChannel): readonly ReportRow[] => [
  ...timeRows('transactional message of a third workspace, from accepted to the provider', messages, { atMost: FAIR_MS }),
  row('    not there at the end', '', missing, { target: { atMost: 0 } }),
  refusedRow('not accepted', of.notAccepted),
  ...(channel === 'email'
    ? []
    : [...timeRows('passcode of a third workspace, the whole request', passcodes), refusedRow('not issued', of.notIssued)]),
]

const stoppedRows = ({ name, after, lastSeconds, isOver }: Stopped, { places }: NeighbourChannel): readonly ReportRow[] => [
  row(`  ${name}: messages that left after the answer${isOver ? '' : ', AND MORE'}`, '', after, { target: { atMost: places } }),
  row('    the last', 's', lastSeconds),
]

const besides = async (bench: Bench, channel: NeighbourChannel): Promise<readonly ReportRow[]> => {
  const sizes = SIZES[bench.size]
  const world = await startNeighbours(bench, channel, sizes)
  await writeToPersons(world)
  bench.say(`${channel.name}: a campaign, a burst, a third workspace, and persons who say no`)
  const load = await startLoad(world)
  const stopping = stopPersons(world)
  const measured = await measureOwn(world, stopping)
  const persons = await stopping
  bench.say(`${channel.name}: p99 of ${measured.messages.length} messages ${Math.round(percentile(measured.messages, 0.99))} ms`)
  await load.settle()
  const stopped = [...(await stopCampaigns(world, load)), ...persons]
  await world.stop()
  const size = `campaign of ${sizes.campaign.toLocaleString('en')}, burst of ${sizes.burst.toLocaleString('en')}`
  return [
    row(`${channel.name} beside a ${size}: messages the provider holds`, '', channel.places),
    ...measuredRows(measured, channel),
    ...stopped.flatMap((one) => stoppedRows(one, channel)),
  ]
}

/** What neighbours of a workspace do to it while a provider is slow, and what leaves after every stop was answered. */
export const neighbours: Group = {
  name: 'neighbours',
  run: async (bench) => {
    const rows: ReportRow[] = []
    for (const channel of NEIGHBOUR_CHANNELS) rows.push(...(await besides(bench, channel)))
    return rows
  },
}
