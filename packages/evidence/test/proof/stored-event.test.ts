import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leafOf, leavesOf } from '../../src/proof/stored-event.ts'
import { canonical } from '../../verifiers/verify.mjs'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const text = fc.string({ unit: 'grapheme' })

test('a leaf is the hash of the canonical JSON of an event, whatever its texts hold', () => {
  // Neighbours often have the same metadata.
  const meta = fc.oneof(text, fc.constantFrom('', '{}', '{"a":1}'))
  const events = fc.record({ data: text, id: fc.uuid(), meta, revision: fc.nat(), stream: text, type: text })
  fc.assert(
    fc.property(events, (event) => {
      const stored = { ...event, created: '2026-11-23T12:00:00.000Z' }
      const hashed = canonical({ ...stored, data: sha256(event.data), meta: sha256(event.meta) })
      expect(leafOf(stored).toString('hex')).toBe(sha256(`\0${hashed}`))
    }),
  )
})

test('leaves made of bytes are those made of texts', () => {
  const meta = fc.oneof(text, fc.constantFrom('', '{}', '{"a":1}'))
  const event = fc.record({ created: text, data: text, id: fc.uuid(), meta, revision: fc.nat(), stream: text, type: text })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 9 }), (events) => {
      const inBytes = events.map((of) => ({ ...of, data: Buffer.from(of.data), meta: Buffer.from(of.meta) }))
      expect(leavesOf(inBytes).toString('hex')).toBe(events.map((of) => leafOf(of).toString('hex')).join(''))
    }),
  )
})

test('the leaf of an event is the same for ever', () => {
  const event = {
    created: '2026-11-23T12:00:00.000Z',
    data: '{"a":"é"}',
    id: '0192b1f0-0000-7000-8000-000000000001',
    meta: '{}',
    revision: 7,
  }
  expect(leafOf({ ...event, stream: 'contact-w-c', type: 'ContactCreated' }).toString('hex')).toBe(
    'd7851fae2f1da7dea7914da33469c62689c18cc97b2093c2f90d51954278def0',
  )
})
