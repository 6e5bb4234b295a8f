import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMeta, workspaceIdIn } from '../src/parse.ts'

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\n', '\u0001', '\u2028'))
const META = {
  workspaceId: text,
  actor: text,
  requestId: text,
  causationId: text,
  schemaVersion: fc.integer({ min: -1, max: 12 }),
  at: text,
}
const meta = fc.record(META, { requiredKeys: ['workspaceId', 'actor', 'requestId', 'schemaVersion', 'at'] }).map((of) => JSON.stringify(of))

/** A text in which something was put in another's place. */
const changed = fc
  .tuple(meta, fc.nat(), fc.nat(3), fc.constantFrom('', '"', ',', '\n', '}', '0', '1.5', '\\', '"x":1,'))
  .map(([of, at, count, by]) => {
    const place = at % of.length
    return of.slice(0, place) + by + of.slice(place + count)
  })

const answerOf = (ask: () => string): unknown => {
  try {
    return ask()
  } catch (error) {
    return String(error)
  }
}

test('the workspace in metadata is the one that parsing finds, and what cannot be parsed is refused', () => {
  fc.assert(
    fc.property(fc.oneof(meta, changed), (of) => {
      expect(answerOf(() => workspaceIdIn(of))).toEqual(answerOf(() => parseMeta({ meta: of }).workspaceId))
    }),
    { numRuns: 2_000 },
  )
})
