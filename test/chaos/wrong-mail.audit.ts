import type { StatementEntry } from '@tidings/wallet'
import type { Ledger, Stop } from './wrong-mail.ledger.ts'
import { SENDERS } from './wrong-mail.plan.ts'
import { type Arrival, placesOf } from './wrong-mail.providers.ts'
import { CREDITS, type Person, type World } from './wrong-mail.world.ts'

/** What must not be, with whom it happened to, and what of it reached the provider. */
export type Violation = Readonly<{ what: string; person: Person | null; to: string; cause: string; at: number; says: string }>

/** `inHands`: messages that came after a stop, shortly enough that the provider had begun with them before. */
export type Audit = Readonly<{
  violations: readonly Violation[]
  inHands: number
  copies: number
  counts: Readonly<Record<string, number>>
}>

/** A mail that the provider got before a stop was answered has arrived by then, on a busy machine too. */
const IN_HANDS_MS = 2_000

type Judged = Readonly<{ world: World; ledger: Ledger; personOf: (to: string) => Person | null }>

const violation = ({ personOf }: Judged, what: string, arrival: Pick<Arrival, 'to' | 'cause' | 'at'>, says: string): Violation => ({
  ...{ what, to: arrival.to, cause: arrival.cause, at: arrival.at, says },
  person: personOf(arrival.to),
})

const byPersonAndCause = (arrivals: readonly Arrival[]): readonly (readonly Arrival[])[] => {
  const groups = new Map<string, Arrival[]>()
  for (const one of arrivals) {
    if (!one.taken) continue
    const key = `${one.to} ${one.cause}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}

/** Whether a sending process was killed between two copies, or the first was never answered. */
const isExcused = ({ ledger }: Judged, first: Arrival, second: Arrival): boolean =>
  !first.answered || ledger.kills.some(({ seat, from }) => SENDERS.includes(seat) && from >= first.at - 1_000 && from <= second.at)

/** Two messages for one cause, or one that was sent again without a reason. */
const mailedTwice = (judged: Judged): Readonly<{ violations: readonly Violation[]; copies: number }> => {
  const violations: Violation[] = []
  let copies = 0
  for (const group of byPersonAndCause(judged.world.providers.arrivals)) {
    for (const [n, arrival] of group.entries()) {
      const before = group[n - 1]
      if (before === undefined) continue
      const seconds = ((arrival.at - before.at) / 1_000).toFixed(1)
      if (arrival.messageId !== before.messageId)
        violations.push(violation(judged, 'mailed twice', arrival, `as another message ${seconds} s before`))
      else if (isExcused(judged, before, arrival)) copies++
      else violations.push(violation(judged, 'sent again', arrival, `${seconds} s after the first, which was answered`))
    }
  }
  return { violations, copies }
}

/** Null where the mail was right. */
const whyWrong = ({ ledger, personOf }: Judged, { to, cause, at }: Arrival): string | null => {
  const person = personOf(to)
  if (person === null) return null
  const { kind, n } = person
  const joined = ledger.joinedAt.get(n)
  if (cause === 'wrong') return 'an order was counted, and the branch was decided without it'
  if (cause === 'right') return kind === 'orderer' ? null : 'he never ordered'
  if (cause === 'joined') {
    if (kind !== 'joiner') return kind === 'never' || kind === 'orderer' ? 'he never matched the rule' : 'he matched the rule all along'
    return joined === undefined || joined > at ? 'he did not match the rule yet' : null
  }
  const rich = ledger.richCampaigns.find(({ name }) => name === cause)
  if (rich === undefined || kind === 'always') return null
  if (kind === 'joiner') return joined !== undefined && joined < rich.finishedAt ? null : 'he did not match the rule yet'
  return kind === 'between' ? 'the rule before the campaign excludes him' : 'he never matched the rule'
}

const mailedWrongly = (judged: Judged): readonly Violation[] => {
  const { providers } = judged.world
  return providers.arrivals.flatMap((arrival) => {
    const why = whyWrong(judged, arrival)
    return why === null ? [] : [violation(judged, 'mailed wrongly', arrival, why)]
  })
}

const isTransactional = (cause: string): boolean => cause.startsWith('receipt') || cause.startsWith('code')

const concerns = ({ channel, to, cause, at, until, what }: Stop, arrival: Arrival): boolean =>
  arrival.channel === channel &&
  arrival.at > at &&
  arrival.at <= until &&
  (to === null ? arrival.cause === cause : arrival.to === to) &&
  (what === 'erase' || what === 'blacklist' || !isTransactional(arrival.cause))

type Late = Readonly<{ stop: Stop; arrival: Arrival; isInHands: boolean }>

/** What came after the stop; of what came soon, as many as the provider holds at a time were in its hands. */
const lateOf = ({ providers, plan }: World, stop: Stop): readonly Late[] => {
  const late = providers.arrivals.filter((arrival) => concerns(stop, arrival))
  return late.map((arrival, n) => ({
    stop,
    arrival,
    isInHands: arrival.at - stop.at <= IN_HANDS_MS && n < placesOf(plan.sms, stop.channel),
  }))
}

/** What reached a provider, taken or refused, after a stop had been answered. */
const afterNo = (judged: Judged): Readonly<{ violations: readonly Violation[]; inHands: number }> => {
  const late = judged.ledger.stops.flatMap((stop) => lateOf(judged.world, stop))
  const violations = late
    .filter(({ isInHands }) => !isInHands)
    .map(({ stop, arrival }) =>
      violation(judged, `after ${stop.what}`, arrival, `${((arrival.at - stop.at) / 1_000).toFixed(1)} s after the answer`),
    )
  return { violations, inHands: late.length - violations.length }
}

/** The persons whom nothing keeps from getting mail. */
const isReachable = ({ stops }: Ledger, person: Person): boolean => person.trouble === null && !stops.some(({ to }) => to === person.email)

const lacks = (judged: Judged, person: Person, cause: string): readonly Violation[] => {
  const { arrivals } = judged.world.providers
  if (arrivals.some((one) => one.to === person.email && one.cause === cause)) return []
  return [violation(judged, 'forgotten', { to: person.email, cause, at: Date.now() }, 'nothing came')]
}

/** Persons that the flows and campaigns have left out. */
export function leftOut(judged: Judged): readonly Violation[] {
  const { world, ledger } = judged
  const reachable = world.people.filter((person) => isReachable(ledger, person))
  return [
    ...reachable.filter(({ n }) => ledger.joinedAt.has(n)).flatMap((person) => lacks(judged, person, 'joined')),
    ...reachable.filter(({ n }) => ledger.orderedAt.has(n)).flatMap((person) => lacks(judged, person, 'right')),
    ...ledger.richCampaigns.flatMap(({ name }) =>
      reachable.filter(({ kind }) => kind === 'always').flatMap((person) => lacks(judged, person, name)),
    ),
  ]
}

/** Transactional messages to reachable recipients that are not `sent`. */
export async function unsent({ world, ledger }: Judged): Promise<readonly Violation[]> {
  const { rows } = await world.installation.pool.query<{ id: string; status: string }>('select id, status from read.messages')
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  return ledger.accepted.flatMap(({ to, cause, messageId }) => {
    const status = statuses.get(messageId) ?? 'unknown'
    return status === 'sent' ? [] : [{ what: 'not sent', person: null, to, cause, at: Date.now(), says: status }]
  })
}

type Queued = Readonly<{ contact: string; channel: string; count: number }>

/**
 * Messages that were not decided, and campaigns that are sent though nothing of them waits. A message to a person whom no provider serves waits for its
 * tries, the most of them slowed down, and one that a provider took without an answer waits ten minutes for it (M28): only a text to one who said no
 * counts, whose next try tells whether it is heard.
 */
export async function waiting({ world, ledger }: Judged): Promise<readonly Violation[]> {
  const { pool } = world.installation
  const { rows } = await pool.query<Queued>(
    `select contact_id as contact, channel, count(*)::int from read.messages where status = 'queued' and contact_id is not null group by 1, 2`,
  )
  // Twilio may have taken what it answers 500.
  const unanswered = world.plan.sms === 'twilio' ? ['silent', 'broken'] : ['silent']
  const people = new Map(world.people.map((person) => [person.id, person]))
  const saidNo = new Set(ledger.stops.map(({ to }) => to))
  const left = rows.filter(({ contact, channel }) => {
    const person = people.get(contact)
    if (person === undefined || person.trouble === null) return person !== undefined
    return channel === 'sms' && saidNo.has(person.phone) && !unanswered.includes(person.trouble)
  })
  const sending = await pool.query(`select from read.campaigns where status = 'sending'`)
  const says = [
    ...left.map(({ contact, channel, count }) => `${count} by ${channel} to ${contact}`),
    ...(rows.length === 0 && sending.rowCount !== 0 ? [`${sending.rowCount} campaigns`] : []),
  ]
  return says.map((one) => ({ what: 'waiting', person: null, to: '', cause: '', at: Date.now(), says: one }))
}

const wallet = async ({ world: { operate } }: Judged, slug: string): Promise<readonly Violation[]> => {
  const of = ['--workspace', slug]
  const { problems } = (await operate(['credits', 'verify', ...of])) as { problems: readonly string[] }
  const { balance } = (await operate(['credits', 'show', ...of])) as { balance: number }
  const { items } = (await operate(['credits', 'statement', ...of])) as { items: readonly StatementEntry[] }
  const paid = items.filter(({ entry }) => entry === 'settle')
  const spent = paid.reduce((sum, { amount }) => sum + amount, 0)
  const twice = paid.filter(({ messageId }, n) => paid.findIndex((one) => one.messageId === messageId) !== n)
  const says = [
    ...problems,
    ...(balance === CREDITS - spent ? [] : [`the balance is ${balance} after ${spent} of ${CREDITS} were spent`]),
    ...twice.map(({ messageId }) => `message ${messageId} was paid twice`),
  ]
  return says.map((one) => ({ what: 'credits', person: null, to: slug, cause: '', at: Date.now(), says: one }))
}

export function judgedOf(world: World, ledger: Ledger): Judged {
  const people = new Map(world.people.flatMap((person) => [[person.email, person] as const, [person.phone, person] as const]))
  return { world, ledger, personOf: (to) => people.get(to) ?? null }
}

export async function auditOf(judged: Judged): Promise<Audit> {
  const { world, ledger } = judged
  const [twice, no] = [mailedTwice(judged), afterNo(judged)]
  const failed = ledger.richCampaigns.filter(({ status }) => status === 'failed')
  const refused = [...ledger.passcodes.refused].filter(([answer]) => answer.startsWith('503'))
  const general = (what: string, cause: string, says: string): Violation => ({ what, person: null, to: '', cause, at: Date.now(), says })
  const violations = [
    ...twice.violations,
    ...mailedWrongly(judged),
    ...no.violations,
    ...leftOut(judged),
    ...failed.map(({ name, startedAt }) =>
      general('failed', name, `a campaign to a list with members, ${startedAt - ledger.startedAt} ms after the start`),
    ),
    ...refused.map(([answer, count]) => general('passcodes', answer, `${count} of a workspace that does nothing else`)),
    ...(await unsent(judged)),
    ...(await waiting(judged)),
    ...(await wallet(judged, 'shop')),
    ...(await wallet(judged, 'calm')),
  ]
  const counts = {
    arrivals: world.providers.arrivals.length,
    stops: ledger.stops.length,
    receipts: ledger.accepted.length,
    kills: ledger.kills.length,
    campaignsByRule: ledger.richCampaigns.length,
    joined: ledger.joinedAt.size,
    ordered: ledger.orderedAt.size,
    passcodes: ledger.passcodes.issued,
  }
  return { violations, inHands: no.inHands, copies: twice.copies, counts }
}
