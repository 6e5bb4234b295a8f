import { expect, test } from 'vitest'
import { eventId, uuidv5, uuidv7 } from '../src/ids.ts'

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

test('version 5 ids equal the published examples', () => {
  expect(uuidv5('www.example.com', DNS)).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
  expect(uuidv5('python.org', DNS)).toBe('886313e1-3b8a-5372-9b90-0c9aee199e5d')
})

test('a version 5 name is hashed as UTF-8, of any length', () => {
  expect(uuidv5('ü', DNS)).not.toBe(uuidv5('u', DNS))
  expect(uuidv5('x'.repeat(5_000), DNS)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a namespace that is no UUID is refused', () => {
  expect(() => uuidv5('name', 'acme')).toThrow('not a UUID: acme')
})

test('version 7 ids are well-formed, differ and sort in the order they were made', () => {
  const ids = Array.from({ length: 20_000 }, uuidv7)
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a version 7 id starts with the time it was made', () => {
  const before = Date.now()
  const at = Number.parseInt(uuidv7().replaceAll('-', '').slice(0, 12), 16)
  expect(at).toBeGreaterThanOrEqual(before)
})

test('an event id depends on the command, the stream and the number, and on nothing else', () => {
  const id = eventId('0192f0c1-0000-7000-8000-000000000001', 'contact-a', 0)
  expect(eventId('0192f0c1-0000-7000-8000-000000000001', 'contact-a', 0)).toBe(id)
  expect(eventId('0192f0c1-0000-7000-8000-000000000001', 'contact-a', 1)).not.toBe(id)
  expect(eventId('0192f0c1-0000-7000-8000-000000000001', 'contact-b', 0)).not.toBe(id)
  expect(eventId('0192f0c1-0000-7000-8000-000000000002', 'contact-a', 0)).not.toBe(id)
})
