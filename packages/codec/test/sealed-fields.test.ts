import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, parseFields } from '../src/parse.ts'
import { cutSealed, type SealedFields } from '../src/sealed-fields.ts'

const blob: SealedFields = { v: 1, s: 'contact:1', k: 2, b: 'c2VhbGVkIHNlYWxlZCBzZWFsZWQ=' }
const stored = (data: string) => ({
  id: 'e-1',
  type: 'ContactCreated',
  data,
  meta: JSON.stringify({ workspaceId: 'w-1', actor: 'key:1', requestId: 'r-1', schemaVersion: 1, at: '2026-11-21T12:00:00.000Z' }),
  stream: 'contact-1',
  revision: 0,
  position: { commit: 1n, prepare: 0n },
  created: '2026-11-21T12:00:00.000Z',
})

const names = fc.string().filter((name) => name !== '$enc' && name !== '__proto__')
const values = fc.oneof(fc.jsonValue(), fc.constantFrom('"$enc":{"v":1,"s":"', { $enc: blob }, '"}}', { a: { $enc: blob } }))
const clearFields = fc.dictionary(names, values, { maxKeys: 4 })
const text = (fields: object) => JSON.stringify(fields)

const layered: SealedFields = { v: 2, s: 'contact:1', k: 2, p: '2026-11-23 client content', b: blob.b }

test.each([{ sealed: blob }, { sealed: layered }])(
  'what the writer put last is cut out, whatever the clear fields hold: version $sealed.v',
  ({ sealed }) => {
    fc.assert(
      fc.property(clearFields, (clear) => {
        expect(cutSealed(text({ ...clear, $enc: sealed }))).toEqual({ clear: text(clear), sealed })
      }),
    )
  },
)

test('a text without a blob of its own is not cut, though a deeper field has the name', () => {
  fc.assert(
    fc.property(clearFields, (clear) => {
      const parsed = parse(stored(text(clear)))
      expect(parsed).toMatchObject({ sealed: null, data: JSON.parse(text(clear)) })
    }),
  )
})

test.each([
  ['in another order', text({ $enc: blob, contactId: '1' })],
  ['with space between', JSON.stringify({ contactId: '1', $enc: blob }, null, 2)],
  ['with its fields in another order', text({ contactId: '1', $enc: { b: blob.b, k: 2, s: blob.s, v: 1 } })],
  ['with layers and space between', JSON.stringify({ contactId: '1', $enc: layered }, null, 2), layered],
  ['with an escape in its name', text({ contactId: '1', $enc: blob }).replace('$enc', '\\u0024enc')],
])('a blob %s is read all the same', (_, data, sealed = blob) => {
  expect(cutSealed(data)).toBe(null)
  expect(parse(stored(data))).toMatchObject({ clear: text({ contactId: '1' }), sealed })
})

test('a subject with an escape is read as what it means', () => {
  const data = text({ $enc: { ...blob, s: 'a "quoted" \\ one' } })
  expect(parse(stored(data))).toMatchObject({ clear: '{}', sealed: { s: 'a "quoted" \\ one' } })
})

test('clear and opened fields make one object, with either empty, and no name reaches the prototype', () => {
  expect(parseFields('{"a":1}', '{"b":2}')).toEqual({ a: 1, b: 2 })
  expect(parseFields('{}', '{"b":2}')).toEqual({ b: 2 })
  expect(parseFields('{"a":1}')).toEqual({ a: 1 })
  const fields = parseFields('{"a":1}', '{"__proto__":{"admin":true}}')
  expect(Object.hasOwn(fields, '__proto__')).toBe(true)
  expect(fields.admin).toBe(undefined)
})
