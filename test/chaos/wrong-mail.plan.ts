import fc from 'fast-check'

/**
 * How a person stands towards the list by rule. `always` matches each of its rules, `between` only the wide one, `never` none. `joiner` matches
 * none until his facts change once. `orderer` never matches, and enters the flow by an event.
 */
type Kind = 'always' | 'between' | 'never' | 'joiner' | 'orderer'

/** The way in which a person says no, or is forgotten. */
export type RefusalKind = 'link' | 'consent' | 'stop' | 'blacklist' | 'erase'

/** What the providers do with everything to a person. */
export type Trouble = 'throttled' | 'silent' | 'broken'

export type PersonPlan = Readonly<{ kind: Kind; no: RefusalKind | null; trouble: Trouble | null }>

/** How a campaign goes on after its start. */
export type CampaignMove = 'let be' | 'pause' | 'cancel'

export type Plan = Readonly<{
  seed: number
  sms: 'twilio' | 'smpp'
  /** Milliseconds by which the clock of each process differs, in the order of the seats. */
  offsets: readonly number[]
  people: readonly PersonPlan[]
  campaigns: readonly Readonly<{ channel: 'email' | 'sms'; move: CampaignMove; saysNo: number }>[]
  /** `backAfterMs`: after the narrow rule; null: a campaign to the list is started and sent before the rule is wide again. */
  ruleChanges: readonly Readonly<{ backAfterMs: number | null; restMs: number }>[]
  victims: readonly number[]
}>

/** Seats: command-api, query-api, projectors, consumers, consumers. */
export const PROJECTORS = 2
export const SENDERS: readonly number[] = [3, 4]
const VICTIMS = [0, 1, 3, 4] as const
const APART_MS = 5_000

const kind = fc.constantFrom<Kind>('always', 'always', 'between', 'between', 'never', 'joiner', 'joiner', 'orderer', 'orderer')
/** Half of the persons say no, a sixth have trouble. */
const no = fc.oneof(
  { weight: 8, arbitrary: fc.constant(null) },
  { weight: 8, arbitrary: fc.constantFrom<RefusalKind>('link', 'link', 'consent', 'stop', 'stop', 'blacklist', 'erase', 'erase') },
)
const trouble = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom<Trouble>('throttled', 'silent', 'broken') },
)

const person = fc.record({ kind, no, trouble }, { noNullPrototype: true })
const campaign = fc.record({
  channel: fc.constantFrom('email', 'email', 'sms'),
  move: fc.constantFrom<CampaignMove>('let be', 'pause', 'cancel'),
  saysNo: fc.integer({ min: 8, max: 16 }),
})
const ruleChange = fc.record({
  backAfterMs: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3_000 })),
  restMs: fc.integer({ min: 500, max: 5_000 }),
})

const many = <T>(one: fc.Arbitrary<T>, count: number): fc.Arbitrary<T[]> => fc.array(one, { minLength: count, maxLength: count })

/** The same plan for the same seed. One of the two processes that send is ahead of the other by five seconds. */
export function planOf(seed: number, people: number): Plan {
  const [plan] = fc.sample(
    fc.record({
      seed: fc.constant(seed),
      sms: fc.constantFrom<Plan['sms']>('twilio', 'smpp'),
      offsets: fc.constantFrom([0, 0, APART_MS, 0, APART_MS], [APART_MS, 0, 0, APART_MS, 0], [0, 0, -APART_MS, 0, -APART_MS]),
      people: many(person, people),
      campaigns: many(campaign, 100),
      ruleChanges: many(ruleChange, 100),
      victims: many(fc.constantFrom(...VICTIMS), 1_000),
    }),
    { seed, numRuns: 1 },
  )
  if (plan === undefined) throw new Error('no plan')
  return plan
}
