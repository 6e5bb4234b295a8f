import { expect, it } from 'vitest'
import { growingBytes } from '../../src/body/read-body.ts'

it('keeps a body of one piece as it came', () => {
  const piece = Buffer.from('whole')
  const body = growingBytes(5)
  body.add(piece)
  expect(body.bytes()).toBe(piece)
})

it('puts pieces together, of one byte too, and keeps at most what was announced, or twice what came', () => {
  const text = 'abcdefghij'.repeat(1_000)
  for (const most of [text.length, 8 * 1024 * 1024]) {
    const body = growingBytes(most)
    for (const letter of text) body.add(Buffer.from(letter))
    expect([body.length(), body.bytes().toString()]).toEqual([text.length, text])
    expect(body.bytes().buffer.byteLength).toBeLessThanOrEqual(Math.min(most, 2 * text.length))
  }
})
