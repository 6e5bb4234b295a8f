import fc from 'fast-check'
import type { Json } from '../../src/contact/contact.events.ts'
import { unknownContact } from '../../src/contact/contact-state.ts'
import { factsOfState, type RuleFacts } from '../../src/rules/rule-facts.ts'

const DAY = 86_400_000

/** Midnight of 1 January 2026. */
export const NEW_YEAR = Date.UTC(2026, 0, 1)

/** A contact of whom only the given facts are known. */
export function factsOf(known: Partial<Omit<RuleFacts, 'profile'>> & { profile?: Partial<RuleFacts['profile']> } = {}): RuleFacts {
  const { tags, customProperties, ...unknown } = factsOfState(unknownContact, { email: null, sms: null, push: null })
  const id = '0192f0c1-0000-7000-8000-00000000000b'
  const profile = { ...unknown, id, rfmTier: null, createdAt: NEW_YEAR, updatedAt: NEW_YEAR, ...known.profile }
  return { tags, customProperties, events: new Map(), ...known, profile }
}

const day = fc.integer({ min: -10, max: 10 }).map((days) => NEW_YEAR + days * DAY)
const date = day.map((moment) => new Date(moment).toISOString().slice(0, 10))
const word = fc.constantFrom('a', 'ab', 'b', '5', 'true')
const scalar = fc.oneof(word, fc.integer({ min: 0, max: 6 }), fc.boolean(), date)
const property: fc.Arbitrary<Json> = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant({ nested: 1 }))

/** Contacts whose facts lie close to what `anyRule` asks. */
export const anyFacts: fc.Arbitrary<RuleFacts> = fc
  .record({
    firstName: fc.option(word),
    emailConsent: fc.constantFrom('subscribed', 'unsubscribed'),
    emailSuppressed: fc.boolean(),
    smsSuppressed: fc.boolean(),
    createdAt: day,
    tags: fc.uniqueArray(word, { maxLength: 3 }),
    spend: fc.option(property, { nil: undefined }),
    placed: fc.option(fc.record({ count: fc.integer({ min: 1, max: 4 }), lastAt: day }), { nil: undefined }),
  })
  .map(({ tags, spend, placed, ...profile }) =>
    factsOf({
      profile,
      tags,
      customProperties: spend === undefined ? {} : { spend },
      events: new Map(placed === undefined ? [] : [['placed', placed]]),
    }),
  )

const conditions = (field: string, ops: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.oneof(
    fc.record({ field: fc.constant(field), op: fc.constantFrom(...ops), value }),
    fc.record({ field: fc.constant(field), op: fc.constant('exists'), value: fc.boolean() }),
  )
const members = (value: fc.Arbitrary<unknown>) => fc.array(value, { minLength: 1, maxLength: 3 })
const order = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']
const days = fc.constantFrom(0.5, 1, 2, 5)

const condition = fc.oneof(
  conditions('firstName', [...order, 'contains'], word),
  conditions('firstName', ['in'], members(word)),
  conditions('emailSuppressed', ['eq', 'ne'], fc.boolean()),
  conditions('smsSuppressed', ['eq', 'ne'], fc.boolean()),
  conditions('createdAt', order, date),
  conditions('createdAt', ['within_days'], days),
  conditions('tags', ['eq', 'ne', 'contains'], word),
  conditions('tags', ['in'], members(word)),
  conditions('customProperties.spend', [...order, 'contains'], fc.oneof(word, fc.integer({ min: 0, max: 6 }), date)),
  conditions('customProperties.spend', ['eq', 'ne', 'contains'], scalar),
  conditions('customProperties.spend', ['in'], members(scalar)),
  conditions('customProperties.spend', ['within_days'], days),
  conditions('event.placed.count', order, fc.integer({ min: 0, max: 4 })),
  conditions('event.placed.last', order, date),
  conditions('event.placed.last', ['within_days'], days),
)

/** The rules that a workspace file may have, as they come from YAML. */
export const anyRule: fc.Arbitrary<unknown> = fc.letrec<{ rule: unknown }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.record({ all: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }) }),
  ),
})).rule
