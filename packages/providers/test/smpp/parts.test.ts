import { asMessageId, smsSegments } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeParts, type InboundPart } from '../../src/smpp/inbound-text.ts'
import { partsOf } from '../../src/smpp/submit.ts'

/** Reads parts as a handset does, each with its header. */
const read = (body: string): string => {
  const { dataCoding, parts } = partsOf(asMessageId('message'), body)
  return decodeParts(
    parts.map(({ bytes, hasHeader }): InboundPart => ({ dataCoding, partNumber: null, bytes: bytes.subarray(hasHeader ? 6 : 0) })),
  )
}
const sizes = (body: string) =>
  partsOf(asMessageId('message'), body).parts.map(({ bytes, hasHeader }) => bytes.length - (hasHeader ? 6 : 0))

describe('a text is cut', () => {
  test.each([
    ['160 characters of GSM-7 are one part', 'a'.repeat(160), [160]],
    ['161 are two', 'a'.repeat(161), [153, 8]],
    ['an extension character counts twice', '€'.repeat(80), [160]],
    ['and is not cut in the middle', `${'a'.repeat(152)}€${'a'.repeat(10)}`, [152, 12]],
    ['70 code units of UCS-2 are one part', 'ש'.repeat(70), [140]],
    ['71 are two', 'ש'.repeat(71), [134, 8]],
    ['a surrogate pair is not cut in the middle', `${'ש'.repeat(66)}😀${'ש'.repeat(10)}`, [132, 24]],
    ['67 emoji are three', '😀'.repeat(67), [132, 132, 4]],
    ['no text is one part', '', [0]],
  ])('%s', (_, body, expected) => {
    expect(sizes(body)).toEqual(expected)
    expect(read(body)).toBe(body)
  })

  test('and reads the same when it is put together, whatever it says', () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abc {}[]~^€\\|@£Δ\n'), maxLength: 800 }),
      fc.string({
        unit: fc.oneof(fc.constantFrom('ש', '😀', 'a', '€'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
        maxLength: 400,
      }),
    )
    fc.assert(
      fc.property(texts, (body) => {
        expect(read(body)).toBe(body)
        const { parts } = partsOf(asMessageId('message'), body)
        for (const part of parts) expect(part.bytes.length).toBeLessThanOrEqual(160)
        expect(parts).toHaveLength(smsSegments(body))
      }),
    )
  })

  test('with the same reference when the message is sent again', () => {
    const [first] = partsOf(asMessageId('message'), 'a'.repeat(161)).parts
    expect([...first!.bytes.subarray(0, 6)]).toEqual([5, 0, 3, first!.bytes[3], 2, 1])
    expect(partsOf(asMessageId('message'), 'a'.repeat(161)).parts[0]?.bytes[3]).toBe(first!.bytes[3])
    const references = new Set(
      Array.from({ length: 100 }, (_, n) => partsOf(asMessageId(`message-${n}`), 'a'.repeat(161)).parts[0]?.bytes[3]),
    )
    expect(references.size).toBeGreaterThan(50)
  })
})
