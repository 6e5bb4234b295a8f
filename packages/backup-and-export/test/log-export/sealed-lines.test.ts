import type { EventBytes, RecordedEvent } from '@tidings/event-store'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sealed } from '../../src/log-export/exported-event.ts'
import { ndjson } from '../../src/log-export/ndjson.ts'
import { sealedLines } from '../../src/log-export/sealed-lines.ts'

const KNOWN = new Set(['NoteTaken', 'DayEnded'])

const text = fc.string({ unit: 'grapheme' })
const spaces = fc.constantFrom(0, 1, '\r', '\r\n')
const json = (value: fc.Arbitrary<unknown>) => fc.tuple(value, spaces).map(([of, space]) => JSON.stringify(of, null, space))
const META = { workspaceId: text, actor: text, requestId: text, at: text, schemaVersion: fc.integer({ min: 1 }) }

const event = fc.record({
  id: fc.uuid(),
  type: fc.constantFrom('NoteTaken', 'NoteTaken', 'DayEnded', 'Unheard'),
  data: json(fc.dictionary(text, fc.oneof(text, fc.integer()))),
  // Neighbours often have the same metadata.
  meta: fc.oneof(json(fc.record(META)), fc.constant('{"workspaceId":"w","actor":"a","requestId":"r","schemaVersion":1,"at":"t"}')),
  stream: text,
  revision: fc.nat(),
  position: fc.oneof(
    fc.nat().map((n) => ({ commit: BigInt(n), prepare: 0n })),
    fc.nat().map((n) => ({ commit: BigInt(n) * 7n, prepare: BigInt(n) })),
  ),
  created: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
})

const inBytes = ({ data, meta, ...rest }: RecordedEvent): EventBytes => ({ ...rest, data: Buffer.from(data), meta: Buffer.from(meta) })

test('lines made of bytes are those made of texts, whatever the texts hold, and end before an unknown type', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 4 }), async (pages) => {
      const [fromBytes, fromTexts] = [sealedLines(KNOWN), sealed(KNOWN)]
      for (const page of pages) {
        const { events, failure } = await fromTexts(page)
        const lines = await fromBytes(page.map(inBytes))
        expect(lines.bytes.toString()).toBe(ndjson().add(events).toString())
        expect([lines.events, lines.failure]).toEqual([events.length, failure])
      }
    }),
  )
})

test('what it made before is as it was when there is more', async () => {
  const [one, two] = fc.sample(event, { numRuns: 2, seed: 7 }).map((of) => inBytes({ ...of, type: 'NoteTaken' }))
  const toBytes = sealedLines(KNOWN)
  const { bytes } = await toBytes([one!])
  const before = bytes.toString()
  await toBytes([two!])
  expect(bytes.toString()).toBe(before)
})

test('metadata that is not what is written is refused', async () => {
  const [wrong] = fc.sample(event, 1)
  await expect(sealedLines(KNOWN)([inBytes({ ...wrong!, type: 'NoteTaken', meta: '{"workspaceId":"w"}' })])).rejects.toThrow(
    'its meta is not what we write',
  )
})
