import { asCampaignId, type Json } from '@tidings/domain'
import fc from 'fast-check'

/** Texts that array literals, JSON and SQL could trip over, between ordinary words. Nothing that Postgres cannot hold: that is refused earlier. */
export const words: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', 'NULL', 'null', '"', '\\', '\\"', '{}', '{a,b}', ',', "'; --", '\n\t', 'Ünïcödé 👩‍🚀', 'שלום', '$1', '\\N'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
)

export function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { nil: null })
}

/** Values as they come out of JSON: no `-0`, which JSON writes as 0. */
const jsonValue: fc.Arbitrary<Json> = fc.oneof(
  words,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  fc.boolean(),
  fc.constant(null),
  fc.array(words, { maxLength: 3 }),
)

export const properties: fc.Arbitrary<Readonly<Record<string, Json>>> = fc.dictionary(
  words.filter((key) => key !== '__proto__'),
  jsonValue,
  { maxKeys: 4 },
)
export const consents = fc.constantFrom('subscribed', 'unsubscribed', 'never_subscribed', 'cleaned')

const CAMPAIGNS = ['5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c11', '5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c12']

/** Few, so that messages share them. */
export const campaign = fc.record({ campaignId: fc.constantFrom(...CAMPAIGNS).map(asCampaignId), variant: fc.nat({ max: 1 }) })
